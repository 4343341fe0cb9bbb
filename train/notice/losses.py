"""What a model is to make small. A kind is right or wrong by itself; of the keys one is right."""

from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from recollect.providers.tagging import KINDS
from train.notice.batch import Batch, Soft
from train.notice.encode import IGNORED


def from_labels(kinds: Tensor, keys: Tensor, batch: Batch, key_weight: float) -> Tensor:
    """The teachers' loss: the labels, where they count. Kinds are summed over a token, hence their number."""
    loss_of_kinds = _hard_kinds(kinds, batch).sum() / batch.counted.sum() * len(KINDS)
    loss_of_keys = cross_entropy(keys.flatten(0, 1), batch.keys.flatten(), ignore_index=IGNORED)
    return loss_of_kinds + key_weight * loss_of_keys


def from_teachers(
    kinds: Tensor, keys: Tensor, batch: Batch, soft: Soft, hard_weight: float, key_weight: float
) -> Tensor:
    """The student's loss: the teachers' opinion on every token, and the labels of those examples that have any."""
    tokens = batch.mask.float()
    soft_kinds = binary_cross_entropy_with_logits(kinds, soft.kinds, reduction="none") * tokens[:, :, None]
    soft_keys = -(soft.keys * keys.log_softmax(-1)).sum(-1) * tokens
    hard_kinds = _hard_kinds(kinds, batch) * soft.labelled[:, None, None]
    hard_keys = _hard_keys(keys, batch) * soft.labelled[:, None]
    loss_of_kinds = soft_kinds.sum() + hard_weight * hard_kinds.sum()
    loss_of_keys = soft_keys.sum() + hard_weight * hard_keys.sum()
    return (loss_of_kinds + key_weight * loss_of_keys) / tokens.sum()


def _hard_kinds(kinds: Tensor, batch: Batch) -> Tensor:
    return binary_cross_entropy_with_logits(kinds, batch.kinds, reduction="none") * batch.counted


def _hard_keys(keys: Tensor, batch: Batch) -> Tensor:
    each = cross_entropy(keys.flatten(0, 1), batch.keys.flatten(), ignore_index=IGNORED, reduction="none")
    return each.view(batch.keys.shape)
