"""Questions that no label answers: broad ones, to which many turns of a talk belong, and those that nothing answers.

Labels are good at single turns: hardly any set asks which sports somebody does and names all turns that tell. So the
questions below are asked of everybody in long talks, and questions of other talks are asked of people who were never
asked them, most of whom have no answer. What belongs to an answer is left to the teacher: whatever learns from these
questions learns from its scores alone.
"""

import random
import re
from collections.abc import Iterable, Iterator, Sequence

from train.recall.settings import Settings
from train.recall.talks import Question, Talk, Turn

SET = "broad"
_CHATS, _LIVES = "spc", "life"

_OF_ONE = """
What activities does {name} do?
What hobbies does {name} have?
What does {name} do to relax?
What does {name} do to cope with stress?
What kinds of exercise does {name} do?
What sports has {name} played or tried?
What outdoor trips has {name} been on?
Where has {name} travelled?
Which cities or countries has {name} been to?
Where has {name} lived?
Where would {name} like to travel one day?
What holidays or trips has {name} planned?
What books has {name} read?
What kinds of stories does {name} enjoy?
Which films or series has {name} watched?
What music does {name} listen to?
Which bands or artists has {name} seen or heard?
What instruments does {name} play?
What games does {name} play?
What has {name} cooked or baked?
What dishes does {name} like?
What foods does {name} avoid or dislike?
What does {name} like to drink?
What restaurants or cafés has {name} been to?
What pets does {name} have?
What are the names of {name}'s animals?
What has happened to {name}'s pets?
Who are the members of {name}'s family?
What do we know about {name}'s children?
What do we know about {name}'s parents?
What do we know about {name}'s brothers and sisters?
Who is {name}'s partner, and how do they get on?
Who are {name}'s friends?
What has {name} done together with friends?
What has {name} done with the family?
Which people have helped {name}?
Whom has {name} helped?
What jobs has {name} had?
What does {name} do for a living?
What has {name} been working on?
What problems has {name} had at work?
What has {name} achieved at work?
What did {name} study?
What has {name} been learning?
What classes or courses has {name} taken?
What would {name} like to become?
What goals does {name} have?
What plans does {name} have for the future?
What has {name} decided to do?
What has {name} given up or stopped doing?
What has {name} started recently?
What changed in {name}'s life?
What has {name} bought?
What would {name} like to buy?
What presents has {name} given or received?
What has {name} made by hand?
What has {name} built or repaired?
What has {name} painted, drawn or written?
What has {name} collected?
What has {name} lost or broken?
What has {name} won?
What is {name} proud of?
What is {name} grateful for?
What makes {name} happy?
What is {name} afraid of?
What worries {name}?
What has made {name} sad?
What has made {name} angry?
What annoys {name}?
What has surprised {name}?
What does {name} regret?
What has {name} been through that was hard?
What health problems has {name} had?
What injuries or illnesses has {name} had?
What does {name} do to stay healthy?
What has the doctor told {name}?
What is {name} allergic to or unable to eat?
How does {name} sleep, and what disturbs it?
What does {name} look like?
What is {name} like as a person?
What are {name}'s strengths?
What are {name}'s weaknesses?
What does {name} believe in?
What does {name} think about politics or society?
What causes does {name} support?
What has {name} volunteered for?
What events has {name} attended?
What celebrations has {name} taken part in?
How does {name} celebrate birthdays and holidays?
What traditions does {name}'s family have?
What does {name} do at weekends?
What does {name} do in the mornings or evenings?
What does {name}'s home look like?
What has {name} changed at home?
Who are {name}'s neighbours, and what happened with them?
What does {name} grow in the garden?
How does {name} get around?
What has happened to {name} on the road or while travelling?
What vehicles does {name} own or use?
What technology or devices does {name} use?
What apps or websites does {name} use?
What languages does {name} speak or learn?
What does {name} remember from childhood?
What stories did {name} tell about earlier years?
What dreams does {name} have?
What advice has {name} given?
What advice did {name} get?
What has {name} recommended?
What does {name} want to try?
What has {name} tried for the first time?
What skills does {name} have?
What is {name} good at?
What does {name} find difficult?
What has {name} been saving money for?
What has {name} spent money on?
What money troubles has {name} had?
What does {name} like about the place where {name} lives?
What kind of weather or season does {name} like?
What nature or animals has {name} seen?
What photos has {name} shared?
What clothes or things to wear has {name} spoken of?
What are {name}'s favourite things?
What does {name} dislike?
What does {name} usually do with the children?
What have {name}'s children done or liked?
What places does {name} go to often?
Where does {name} like to spend time outdoors?
What groups or clubs does {name} belong to?
What people does {name} admire?
What inspires {name}?
What motivates {name}?
How has {name} changed over time?
What did {name} promise to do?
What is {name} looking forward to?
What has {name} been waiting for?
What went wrong for {name}?
What good news did {name} have?
What bad news did {name} have?
What has {name} apologised for?
What did {name} disagree about with others?
What has {name} found out?
What questions is {name} still unsure about?
What might {name} enjoy doing on a free day?
What would be a good present for {name}?
What kind of job would suit {name}?
Would {name} rather live in a city or in the country?
Is {name} an outgoing person?
Is {name} religious?
Is {name} well off?
Does {name} like animals?
Does {name} have children?
Is {name} married or in a relationship?
How old might {name} be?
What is {name}'s background?
When did {name} last travel?
When did {name} begin the present job?
How many children does {name} have?
How many times has {name} moved?
How often does {name} exercise?
How long has {name} had this hobby?
What did {name} do last weekend?
What did {name} do in the summer?
What has {name} done to celebrate a success?
What kinds of art has {name} made or seen?
What museums, concerts or shows has {name} been to?
Which events has {name} organised?
What challenges has {name} overcome?
What setbacks did {name} have with a project?
What has {name} learned from mistakes?
What support does {name} get from others?
What does {name} do for the community?
What symbols or objects mean much to {name}?
What has {name} inherited or been left by family?
What has {name} kept for years?
""".strip().split("\n")

_OF_BOTH = """
What do {name} and {other} have in common?
What have {name} and {other} done together?
Which hobbies do both {name} and {other} have?
What places have both {name} and {other} been to?
What do {name} and {other} both like to eat?
What pets do {name} and {other} have?
What do {name} and {other} disagree about?
What plans have {name} and {other} made together?
How do {name} and {other} know each other?
What has {name} told {other} to do?
What has {other} given {name}?
How does {other} support {name}?
What does {name} think of {other}?
What do {name} and {other} both do to relax?
What kinds of work do {name} and {other} do?
What troubles have both {name} and {other} had?
What subjects do {name} and {other} keep coming back to?
What music, books or films do {name} and {other} share?
""".strip().split("\n")


def talks(used: Sequence[Talk], settings: Settings) -> list[Talk]:
    """Long talks with such questions, made of the talks that are trained on."""
    dice = random.Random(settings.own_seed)
    lives, chats = ([talk for talk in used if talk.set == name and _speakers(talk)] for name in (_LIVES, _CHATS))
    return [
        Talk(SET, talk.id, talk.turns, tuple(_questions(talk, (lives, chats), settings, dice)))
        for talk in [*lives, *_long_chats(chats, settings, dice)]
    ]


def _long_chats(chats: Iterable[Talk], settings: Settings, dice: random.Random) -> Iterator[Talk]:
    """Chats of strangers, several of them as if the same two had met often: in a short one little looks right."""
    of_two = [chat for chat in chats if len(_speakers(chat)) == 2]
    dice.shuffle(of_two)
    for start in range(0, len(of_two), settings.chats_joined):
        some = of_two[start : start + settings.chats_joined]
        names = _speakers(some[0])
        turns = [turn for chat in some for turn in _renamed(chat, dict(zip(_speakers(chat), names, strict=True)))]
        yield Talk(SET, f"chats {start}", tuple(turns), ())


def _renamed(chat: Talk, names: dict[str, str]) -> Iterator[Turn]:
    for turn in chat.turns:
        yield Turn(names[turn.speaker], _with_names(turn.text, names))


def _with_names(text: str, names: dict[str, str]) -> str:
    pattern = rf"\b({'|'.join(map(re.escape, names))})\b"
    return re.sub(pattern, lambda found: names[found[0]], text)


def _questions(
    talk: Talk, elsewhere: Iterable[Sequence[Talk]], settings: Settings, dice: random.Random
) -> Iterator[Question]:
    speakers = _speakers(talk)
    for name in speakers:
        others = [other for other in speakers if other != name]
        forms = dice.sample(_OF_ONE, settings.broad_of_one) + dice.sample(_OF_BOTH, settings.broad_of_both)
        for form in forms if others else forms[: settings.broad_of_one]:
            yield Question(form.format(name=name, other=dice.choice(others or [""])), (), family=form)
        for others_talks in elsewhere:
            asked = [other for other in others_talks if other.questions and other.id != talk.id]
            for other in dice.sample(asked, min(settings.borrowed, len(asked))):
                borrowed = dice.choice(other.questions).text
                yield Question(_with_names(borrowed, dict.fromkeys(_speakers(other), name)), ())


def _speakers(talk: Talk) -> list[str]:
    return list(dict.fromkeys(turn.speaker for turn in talk.turns if turn.speaker))
