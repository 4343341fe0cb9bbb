"""Talks of our own, from templates: two to four people, and questions about what they say.

A family is a thing to ask about, said in one or two turns. What one turn answers, the talks of other sets have plenty
of. These families are for what they lack: a question whose answer lies in two turns far apart, one about when or how
long, one that is answered by what follows from a turn rather than by what it says, one about two people at once.

In a text, `{x}` and other letters stand for what is drawn from the family's choices, `{X}` for another one drawn from
the same, `{N}` for the one who is asked about, `{M}` for the other one.
"""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from train.recall.talks import Question, Talk, Turn

SET = "own"


@dataclass(frozen=True, slots=True)
class Family:
    """Something to ask about. Each stage is said in one of its wordings, and all stages answer the question."""

    questions: tuple[str, ...]
    stages: tuple[tuple[str, ...], ...]
    choices: Mapping[str, tuple[str, ...]]
    shared: bool = False
    """Whether the second stage is said by somebody else."""


def _family(questions: str, *stages: str, shared: bool = False, **choices: str) -> Family:
    return Family(
        tuple(questions.split("|")),
        tuple(tuple(stage.split("|")) for stage in stages),
        {name: tuple(values.split("/")) for name, values in choices.items()},
        shared,
    )


_TWO_PLACES = (
    _family(
        "Which instruments can {N} play?|What instruments has {N} learned over the years?",
        (
            "Dusted off the {x} on Sunday, my fingers still remember the scales|"
            "I had {x} lessons until I was sixteen, would you believe"
        ),
        (
            "My {X} arrived in the post and I've been annoying the neighbours ever since|"
            "A friend is teaching me the {X} on Thursdays"
        ),
        x="violin/accordion/banjo/clarinet/bass guitar/harmonica/flute/drum kit/harp",
    ),
    _family(
        "Which countries has {N} been to?|Where abroad has {N} travelled?|What places has {N} visited?",
        (
            "Back from {x} with a suitcase full of spices and two blisters|"
            "We drove all around {x} in a rented van that had no second gear"
        ),
        (
            "{X} was colder than I thought, but the people fed us like family|"
            "Those two weeks in {X} were the best thing I did last year"
        ),
        x="Turkey/Norway/Chile/Vietnam/Ireland/Jordan/Slovenia/Mexico/Georgia/South Korea",
    ),
    _family(
        "What pets does {N} have?|Which animals live in {N}'s house?|How many pets does {N} own?",
        (
            "The {x} knocked the plant off the sill again, I swear it's on purpose|"
            "Up at five because the {x} wanted breakfast"
        ),
        (
            "We gave in and took the {X} my cousin couldn't keep|"
            "Well, the {X} has settled behind the sofa, so that's its home now"
        ),
        x="cat/parrot/old labrador/tortoise/pair of guinea pigs/ferret/goldfish/whippet",
    ),
    _family(
        "What has {N} done to get fitter?|Which sports does {N} do?|How does {N} keep in shape?",
        "Signed up for {x} on Tuesdays, I can barely lift my arms today|Turns out I'm not hopeless at {x}",
        (
            "Skipped the bus all month and did {X} before work instead|"
            "My knee liked {X} better than anything the physio gave me"
        ),
        x="swimming/climbing/fencing/rowing/pilates/cycling/handball/long walks/squash",
    ),
    _family(
        "What has {N} bought for the flat?|What new things does {N} have at home?|Which furniture did {N} get?",
        "The {x} came flat-packed and with one screw too few|Finally a {x}, no more eating off my lap",
        (
            "Found a {X} on the kerb, sanded it down, looks like new|"
            "I paid too much for the {X}, but every time I see it I smile"
        ),
        x="dining table/reading lamp/bookcase/velvet armchair/standing desk/chest of drawers/wool rug/kitchen clock",
    ),
    _family(
        "What does {N} do together with the children?|How does {N} spend time with the kids?",
        (
            "Took the little ones {x}, they were asleep before we reached the car|"
            "On Saturday it's {x} with the kids, rain or not"
        ),
        "My son asked if we could go {X} again, so of course we did|The girls and I went {X}, mud up to the ears",
        x=(
            "fishing at the weir/looking for mushrooms/to the puppet theatre/ice skating/flying kites/"
            "to the planetarium/picking cherries"
        ),
    ),
    _family(
        "Which books has {N} read?|What has {N} been reading lately?|Which authors does {N} like?",
        "Three chapters of {x} last night and then I dreamed about it|I cried on the tram over {x}, people stared",
        (
            "The library finally had {X}, two hundred pages gone already|"
            "If you only read one thing this winter, make it {X}"
        ),
        x=(
            "Middlemarch/The Left Hand of Darkness/Beloved/a life of Marie Curie/Stoner/The Master and Margarita/"
            "My Brilliant Friend/an old Agatha Christie"
        ),
    ),
    _family(
        "What has {N} cooked?|Which dishes did {N} make?|What can {N} cook well?",
        "There's {x} for a week in my freezer now|My {x} came out right for once, not a crumb left",
        "Burned the first lot, but the second {X} was perfect|Everybody asked for the recipe of my {X}",
        x="fish pie/borscht/falafel/apple strudel/mushroom risotto/dal/moussaka/plum jam/pierogi",
    ),
    _family(
        "What problems did {N} have with the car?|What went wrong with {N}'s car?",
        (
            "Stood on the hard shoulder for two hours because of {x}|"
            "The garage says it's {x}, and they don't even have the part"
        ),
        "And now {X}, on top of everything, I should just sell it|Guess what the MOT found: {X}",
        x="the clutch/a cracked radiator/the alternator/a broken spring/the gearbox/rust under the doors",
    ),
    _family(
        "Who has {N} been helping?|Which people did {N} help?|How does {N} help others?",
        "I do the shopping for {x} on Fridays, the stairs are too much now|Filled in forms with {x} all afternoon",
        "Drove {X} to the eye clinic and back, we sang the whole way|Set up the tablet for {X}, third time lucky",
        x=(
            "the widower on the second floor/a family from Aleppo/my great-aunt/the choir master/"
            "our old neighbour/a student from Ghana"
        ),
    ),
    _family(
        "What are {N}'s plans for the garden?|What has {N} planted?|What grows in {N}'s garden?",
        "Put in {x} along the fence, if the slugs let them live|The {x} are up! Two leaves each, but up",
        "There's a bare corner that shall have {X} next|I swapped cuttings with the lady next door and now I have {X}",
        x="runner beans/dahlias/blackcurrants/hollyhocks/early potatoes/sweet peas/a fig tree/rhubarb",
    ),
    _family(
        "What worries {N}?|What troubles has {N} mentioned?|Why has {N} been sleeping badly?",
        "Lying awake again, {x}|It's {x}, I can't think of much else",
        "And then there is that other thing: {X}|I haven't told anybody, but {X}",
        x=(
            "the rent goes up in spring/my father forgets the stove/they may close our branch/"
            "the lump has to be looked at/my daughter doesn't call/the loan runs out in June"
        ),
    ),
    _family(
        "What has {N} given up?|Which habits did {N} drop?|What does {N} no longer do?",
        "Forty days without {x}, and I'm only slightly unbearable|I quit {x}, cold, on a Monday",
        "Next thing that went was {X}, and I hardly miss it|No more {X} either, I sleep like a stone",
        x=(
            "cigarettes/coffee after noon/reading the news in bed/sugar in tea/online auctions/wine on weekdays/"
            "biting my nails"
        ),
    ),
    _family(
        (
            "What did {N} do for work before, and what does {N} do now?|"
            "Which jobs has {N} had?|"
            "How did {N}'s career change?"
        ),
        "I used to be {x}, you know, before my back gave up|Eleven years as {x}, and not one dull day",
        "These days I'm {X}, which surprised nobody more than me|Retrained, passed, and since March I've been {X}",
        x="a roofer/a ship's cook/a court clerk/a midwife/a bus driver/a sound engineer/a land surveyor/a florist",
    ),
    _family(
        "What presents did {N} get?|What was {N} given?|Which gifts did {N} receive?",
        "My brother turned up with {x}, wrapped in newspaper as always|They all chipped in for {x}, I had to sit down",
        "And in the post, from my godmother: {X}|The best was {X}, no card, I still don't know from whom",
        x=(
            "a globe from 1950/a hand-knitted scarf/a sourdough starter/binoculars/a box of letters/"
            "tickets for the opera/a bread knife"
        ),
    ),
    _family(
        "What does {N} want to learn?|Which courses has {N} taken?|What has {N} been studying?",
        "Evening class in {x}, I'm the oldest by twenty years|I've started on {x}, ten minutes a day with a cup of tea",
        "After that I'd like to try {X}, there's a place free in the autumn|Passed the first exam in {X}, I framed it",
        x="sign language/bookbinding/Latin/welding/astronomy/upholstery/Japanese/beekeeping",
    ),
    _family(
        "Which clubs or groups is {N} part of?|What groups did {N} join?|Where does {N} meet people?",
        "I went along to the {x}, there were biscuits and strong opinions|Treasurer of the {x}, that's me now",
        "The {X} asked me as well, so there goes Wednesday|Met half the street at the {X}",
        x=(
            "allotment society/bell ringers/repair café/chess club/village choir/mountain rescue/"
            "amateur dramatics/reading circle"
        ),
    ),
    _family(
        "What illnesses or injuries has {N} had?|Which health problems did {N} mention?|How has {N}'s health been?",
        "Off work with {x}, day four|It's {x}, nothing to be done but wait",
        "Just when that was over I got {X}|And the X-ray showed {X}, of all things",
        x=(
            "shingles/a broken toe/bronchitis/a slipped disc/tennis elbow/an ear infection/kidney stones/"
            "a sprained wrist"
        ),
    ),
)

_WHEN = (
    _family(
        "When did {N} move into the new place?|When did {N} move house?|On what date did {N} get the keys?",
        "We got the keys {w} and slept on the floor between boxes|Moved in {w}, I can hear the river from bed",
        w=(
            "last Friday/on the 3rd of March/two weeks ago/the day before yesterday/on Easter Monday/"
            "at the end of August"
        ),
    ),
    _family(
        "When did {N} start the new job?|When was {N}'s first day at work?|Since when has {N} been working there?",
        (
            "My first day was {w}, I got lost twice on the way to the canteen|"
            "Started {w}, they had even put my name on the door"
        ),
        w="on Monday/last week/the 1st of October/three weeks ago/right after New Year",
    ),
    _family(
        "When is {N} having the operation?|When will {N} be in hospital?|What date is {N}'s surgery?",
        "They'll do the knee {w}, I've packed my slippers already|The letter came: {w}, nothing to eat from midnight",
        w="next Thursday/on the 12th of June/in three weeks/the week after next/first thing on Tuesday",
    ),
    _family(
        "When did {N} last see the family?|When did {N} visit the parents?|When was {N} back home?",
        (
            "I was at my mother's {w}, she made me take six jars of pickles|"
            "Had everyone round one table {w}, first time since the wedding"
        ),
        w="last weekend/over Whitsun/in the last week of July/on my name day/ten days ago",
    ),
    _family(
        "How long has {N} been learning it?|For how long has {N} practised?|How many years has {N} been doing this?",
        "It's {w} now that I pick up the chisel every evening|{w} of lessons, and I still hold the bow wrong",
        w="three years/eight months/half my life/five weeks/a good ten years",
    ),
    _family(
        "How long was {N} away?|How much time did {N} spend travelling?|For how long did {N} leave town?",
        (
            "Home again after {w}, the post was up to the letterbox|"
            "{w} on the road, I'd forgotten what my own bed feels like"
        ),
        w="nine days/six weeks/a whole summer/a long weekend/twelve nights",
    ),
    _family(
        "How long after moving did {N} find work?|How much time passed between {N}'s move and the new job?",
        "The van left {w}, and here we are, knowing nobody|It was {w} that we moved here, in the pouring rain",
        "They rang {W}: I've got it, I start straight away|Signed {W}, so at last there is money coming in",
        w="in January/in early March/on the 5th of May/in late summer/in October",
    ),
    _family(
        (
            "Which happened first for {N}, the exam or the trip?|"
            "What did {N} do before going away?|"
            "How long was it between the exam and {N}'s trip?"
        ),
        "Sat the exam {w}, four hours and my hand went numb|{w} it was finally my turn before the examiners",
        "The ferry went {W}, and I didn't look at a book for two weeks|Set off {W}, with one rucksack",
        w="on the 2nd of June/in mid-May/on a Wednesday in July/at the end of April",
    ),
    _family(
        "How old is {N}'s child?|How old did {N}'s daughter turn?|When is the birthday of {N}'s daughter?",
        (
            "She blew out {x} candles {w} and wished for a crocodile|"
            "{x} already, {w}, and she still wants the same bedtime story"
        ),
        x="five/seven/nine/eleven",
        w="on Saturday/yesterday/the 9th of February/last night",
    ),
    _family(
        "When did {N} and the partner get together?|When did {N} get engaged?|How long has {N} been engaged?",
        (
            "Asked on the pier {w}, with the ring in a bag of chips|"
            "We said yes to each other {w}, both at once, we had to laugh"
        ),
        w="on midsummer's eve/last Sunday/a month ago/on the 30th of December/two summers ago",
    ),
    _family(
        "What time does {N} get up?|When does {N}'s day begin?|At what hour does {N} start work?",
        (
            "The ovens go on at {w}, so don't expect sense from me after eight|"
            "Out with the dog at {w}, the foxes know us by now"
        ),
        w="three/a quarter to five/half past five/six/four in the morning",
    ),
    _family(
        "How often does {N} go there?|How many times a week does {N} train?|How frequently does {N} visit?",
        "{w} without fail, they keep my locker free|I'm there {w}, the woman at the desk just waves me through",
        w="Every other day/Twice a week/On the first of each month/Mondays and Thursdays/Once in a fortnight",
    ),
)

_FOLLOWS = (
    _family(
        "Would {N} enjoy a week at the seaside?|Is {N} likely to go on a beach holiday?",
        (
            "Sand in everything and the sun on my neck, no thank you, give me a cold forest|"
            "I could stare at waves all day and never want for more"
        ),
    ),
    _family(
        "Would {N} be a good person to ask about cars?|What is {N} good at?|Could {N} repair a machine?",
        (
            "Had the whole engine on the kitchen table by noon and back in by supper|"
            "I hear a motor and I know which valve it is"
        ),
    ),
    _family(
        "Is {N} religious?|What does {N} believe in?|What part does faith play in {N}'s life?",
        (
            "I light a candle at St Anne's every Sunday, it keeps me upright|"
            "I stopped praying when I was twelve and never felt the want of it"
        ),
    ),
    _family(
        "Is {N} good with money?|Would {N} take a financial risk?|How careful is {N} with spending?",
        (
            "Every receipt goes into the blue folder, and on Sundays I add them up|"
            "Payday was Friday and by Monday I was counting coins, as usual"
        ),
    ),
    _family(
        "Would {N} like living in the countryside?|Would {N} rather live in a city or a village?",
        (
            "Give me trams and neighbours who shout, silence makes me nervous|"
            "I open the window and hear nothing but rooks, I'd never trade it"
        ),
    ),
    _family(
        "What kind of person is {N}?|How would friends describe {N}?|What trait does {N} show?",
        (
            "I can't pass a stray without taking it home, you know me|"
            "I told him to his face what everybody else was whispering|"
            "Checked the stove four times before we left, and once more from the train"
        ),
    ),
    _family(
        "Does {N} want children?|Might {N} start a family?",
        "We've painted the small room yellow, just in case|I love my nieces and I love handing them back at six",
    ),
    _family(
        "Would {N} accept a job abroad?|Is {N} willing to move for work?",
        (
            "My roots go down to the cellar of this house, they'd have to carry me out|"
            "I've had a bag packed since I was nineteen, just say where"
        ),
    ),
    _family(
        "What might {N} study?|Which subject would suit {N}?|Which career could {N} choose?",
        (
            "I take apart every radio I find and mostly they play afterwards|"
            "I keep a notebook of every bird on the estuary, with times and winds|"
            "People tell me their troubles at bus stops, and I remember all of it"
        ),
    ),
    _family(
        "Would {N} come along to a loud party?|Is {N} an outgoing person?|Does {N} like being among many people?",
        "An hour among strangers and I need two days on my own|The more people in a room, the better I get",
    ),
    _family(
        "What is {N}'s political view?|Which causes does {N} care about?|Is {N} interested in politics?",
        (
            "Stood in the rain with my placard for the library, and I'd do it again|"
            "I haven't voted in years, they're all of one cloth"
        ),
    ),
    _family(
        "Does {N} get on with the boss?|How is {N}'s relationship with colleagues?|Is {N} happy at work?",
        (
            "She read my name off the list as if it were a stain|"
            "They saved me the window desk and a slice of every birthday cake"
        ),
    ),
    _family(
        "Could {N} be allergic to something?|Why should {N} avoid the cake?|What should not be served to {N}?",
        "One walnut and it's the blue light for me|My lips swell if a prawn so much as looks at me",
    ),
    _family(
        "Is {N} well off?|What is {N}'s financial situation?|Can {N} afford a holiday?",
        (
            "We've let the second flat as well, it pays for the boat|"
            "I mended the soles again, that'll get them through the winter"
        ),
    ),
)

_BOTH = (
    _family(
        "What do {N} and {M} have in common?|Which hobby do {N} and {M} share?|What do both {N} and {M} like doing?",
        "Nothing clears my head like {x}|I spent the whole of Sunday on {x}",
        "Funny, I'm mad about {x} too, since school|You as well? I do {x} whenever the house is quiet",
        shared=True,
        x="crosswords/birdwatching/restoring clocks/baking bread/crime novels/stargazing/wild swimming/patchwork",
    ),
    _family(
        (
            "Where have both {N} and {M} lived?|"
            "Which city do {N} and {M} both know well?|"
            "Which place connects {N} and {M}?"
        ),
        "I had a room in {x} above a bakery, the happiest years|Did my training in {x}, a long time ago",
        "No! I was born in {x}, just behind the station|My first flat was in {x}, fourth floor, no lift",
        shared=True,
        x="Ghent/Leeds/Porto/Graz/Halifax/Aarhus/Lyon/Dunedin",
    ),
    _family(
        (
            "How did {N} and {M} each react to the storm?|"
            "What did the storm do to {N} and {M}?|"
            "What damage did {N} and {M} have?"
        ),
        "It took {x} clean off and put it in the pond|We woke to {x} lying in the road",
        "With us it was {X}, and the insurance wants photographs|Here {X} went over, right past the bedroom window",
        shared=True,
        x="the greenhouse/half the tiles/the old walnut tree/the garden wall/the chimney pot/the hen house",
    ),
    _family(
        (
            "What are {N} and {M} each cooking for the feast?|"
            "Who brings which dish, {N} and {M}?|"
            "What food will {N} and {M} bring?"
        ),
        "Put me down for {x}, I've the big pot anyway|I'll do {x}, grandmother's way",
        "Then I'll come with {X}, there's never enough of that|And from me there'll be {X}, don't argue",
        shared=True,
        x="the goulash/a potato salad/two plum cakes/stuffed vine leaves/a leg of lamb/lentil soup/the trifle",
    ),
    _family(
        (
            "Why did both {N} and {M} leave their jobs?|"
            "What made {N} and {M} quit?|"
            "For what reasons did {N} and {M} resign?"
        ),
        "I handed in the key card, {x}|That was it for me, {x}",
        "I know that so well, I went because {X}|I walked out in spring, {X}",
        shared=True,
        x=(
            "no thanks in nine years/they read our messages/the commute ate my evenings/"
            "the new owner counts toilet breaks/I was doing three people's work"
        ),
    ),
    _family(
        (
            "What do {N} and {M} think about the plan for the square?|"
            "Do {N} and {M} agree about the square?|"
            "How do the opinions of {N} and {M} differ?"
        ),
        (
            "If they fell the limes on the square I'll chain myself to one|"
            "Let them build, the square has been a puddle since I was a boy"
        ),
        (
            "I see that differently, a bit of life would do the place good|"
            "For once I'm on the trees' side, write that down"
        ),
        shared=True,
    ),
)

FAMILIES = (*_TWO_PLACES, *_WHEN, *_FOLLOWS, *_BOTH)

_PEOPLE = """
Agnes Bilal Carmen Dmitri Edith Farid Greta Hugo Ingrid Jonas Keiko Lorenzo Magda Nils Odette Pablo Rania Silvio Thea
Ulrich Violet Wanda Yusuf Zelda Anton Beatrix Cyril Delia Emeka Flora Gideon Hana Ivo Juno Kamal Leila Marek Nadia
Oskar Paula Rufus Selma Tobias Ursula Viktor Winnie
"""
_NAMES = _PEOPLE.split()
_BEFORE = (
    *[""] * 6,
    "Hi! ",
    "You won't believe it. ",
    "Ah, well. ",
    "Oh, before I forget: ",
    "Good question. ",
    "Ha! ",
)
_AFTER = (*[""] * 6, ". And you?", ". How are things with you?", ". Anyway.", ". Long story.", "! Tell me yours.")
_ANSWERS = (
    "Really? I'd never have guessed.",
    "That sounds just like you!",
    "Oh dear. Let me know if I can do anything.",
    "Wonderful, I'm so glad.",
    "I'll think of that next time.",
    "Ha, same here, more or less.",
    "And what did the others say?",
    "Good. You've waited long enough.",
    "I don't know what I'd have done.",
    "Hm, give it a little time.",
    "Send me a picture when you can!",
    "You always land on your feet.",
)
_SMALL_TALK = (
    "What's new with all of you?",
    "It's been ages, how are you?",
    "The weather, honestly. Three coats in one day.",
    "I only have five minutes, but tell me everything.",
    "Did you get my message?",
    "I was just thinking of you.",
    "Are we still on for Sunday?",
    "My train is late again, so I have time.",
    "Wait, someone's at the door. Back again.",
    "Sorry, I was somewhere else with my thoughts.",
)
_IN_A_TALK = 10
"""Families in one talk."""
_WORDINGS = 2
"""Ways in which the same thing is asked, at most."""


def talks(count: int, seed: int) -> list[Talk]:
    """Talks, each with people, things said and questions drawn anew."""
    dice = random.Random(seed)
    return [_talk(f"{SET}{number}", dice) for number in range(count)]


@dataclass(frozen=True, slots=True)
class _Said:
    """A family as it comes in one talk."""

    family: int
    speakers: tuple[str, ...]
    texts: tuple[str, ...]


def _talk(name: str, dice: random.Random) -> Talk:
    people = dice.sample(_NAMES, dice.choice((2, 2, 2, 3, 4)))
    chosen = [_said(number, people, dice) for number in dice.sample(range(len(FAMILIES)), _IN_A_TALK)]
    # First stages come in the first half, second ones in the second: what belongs together lies apart.
    order = [(number, 0) for number in range(len(chosen))]
    later = [(number, 1) for number, said in enumerate(chosen) if len(said.texts) > 1]
    dice.shuffle(later)
    turns: list[Turn] = []
    gold: dict[int, list[int]] = {}
    for number, stage in [*order, *later]:
        said = chosen[number]
        speaker = said.speakers[stage]
        others = [person for person in people if person != speaker]
        if dice.random() < 0.4:
            turns.append(Turn(dice.choice(others), dice.choice(_SMALL_TALK)))
        gold.setdefault(number, []).append(len(turns))
        turns.append(Turn(speaker, _spoken(said.texts[stage], dice)))
        turns.append(Turn(dice.choice(others), dice.choice(_ANSWERS)))
    questions = [each for number, said in enumerate(chosen) for each in _asked(said, gold[number], dice)]
    return Talk(SET, name, tuple(turns), tuple(questions))


def _said(number: int, people: Sequence[str], dice: random.Random) -> _Said:
    family = FAMILIES[number]
    speaker, other = dice.sample(list(people), 2)
    speakers = (speaker, other if family.shared else speaker)
    drawn = {}
    for name, values in family.choices.items():
        drawn[name], drawn[name.upper()] = dice.sample(values, 2)
    texts = tuple(_filled(dice.choice(wordings), drawn) for wordings in family.stages)
    return _Said(number, speakers, texts)


def _asked(said: _Said, gold: Sequence[int], dice: random.Random) -> list[Question]:
    names = {"N": said.speakers[0], "M": said.speakers[1]}
    wordings = dice.sample(FAMILIES[said.family].questions, dice.randint(1, _WORDINGS))
    return [Question(_filled(wording, names), tuple(gold), family=str(said.family)) for wording in wordings]


def _spoken(text: str, dice: random.Random) -> str:
    return dice.choice(_BEFORE) + text[0].upper() + text[1:] + dice.choice(_AFTER)


def _filled(text: str, drawn: Mapping[str, str]) -> str:
    """Every letter in braces replaced."""
    return re.sub(r"\{(\w)\}", lambda found: drawn[found[1]], text)
