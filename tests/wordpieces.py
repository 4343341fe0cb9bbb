"""The library's tokenizer for the pieces that the package ships: what our own is held against."""

from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors

from recollect.providers import onnx

MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def library() -> Tokenizer:
    """BERT's uncased tokenizer, as all-MiniLM-L6-v2 has it."""
    pieces = onnx.WORDS.with_suffix(".txt").read_text("utf-8").split("\n")[:-1]
    numbers = {piece: number for number, piece in enumerate(pieces)}
    made = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", [("[CLS]", onnx.START), ("[SEP]", onnx.END)]
    )
    made.add_special_tokens([AddedToken(mark, normalized=False) for mark in MARKS])
    return made
