"""The words that the days of a synthetic life are made of."""

MOOD = ("missing", "new", "old", "second", "late", "borrowed", "wrong", "heavy")

MATTERS = (
    "anchor", "invoice", "ladder", "timber", "lantern", "paint", "rope", "map", "permit", "pump", "sandbank",
    "tide table", "tomatoes", "compost", "water butt", "fence", "mast", "varnish", "centreboard", "rudder",
    "sheet music", "chapel key", "heating", "programme", "tuning fork", "harvest", "slugs", "oak planks", "fog signal",
    "boat trailer",
)  # fmt: skip

# Each brings a name of which one cannot be sure what it is.
SIGHTS = (
    "Ordered two lamps from Velmara.", "The ferry Nordlys was an hour late.", "Saw a play at the Corvina.",
    "Somebody praised the cheese of Grunholt.", "A poster for Ballarine hung at the station.",
    "The neighbours talk about Ostrava Nine.", "Leafed through a catalogue by Pellworth.", "Passed the new Quillan.",
    "Tried a tea called Sarandel.", "The radio played Tamsin Grove.", "Found a coin from Uldale in the sand.",
    "The baker now sells Wickentree.", "Heard of a walk around Zennarth.", "A parcel from Dorvane came by mistake.",
    "The children collect cards of Emberlin.", "Someone left a brochure of Farrowick.", "Read a review of Glimmeroth.",
    "The bus has a new stop at Hexley.", "Watched the start of the Ivarsen.",
    "They are building a Jolanda by the quay.", "A letter for Kilmarne was in our box.", "The library shows Lorcaster.",
    "Ate an apple called Maribelle.", "The quiz asked about Nethermoor.", "Overheard a talk on Orlinda.",
    "A kite with the word Perrault flew by.",
)  # fmt: skip

# Only for today.
CALLS = (
    "Parked on level three, near the lift.", "Buy milk, bread and candles.", "The parcel waits at the kiosk until six.",
    "Library books are due tomorrow.", "Water the plants on the landing.", "Return the ladder to the yard.",
    "Dentist at nine, bring the card.", "Bins go out tonight.", "Call back the plumber before noon.",
    "Charge the torch for the weekend.", "The bus runs from the other stop today.", "Ask for the receipt at the till.",
    "Leave the gate open for the gardener.", "Freeze the rest of the soup.", "Pay the window cleaner in cash.",
)  # fmt: skip

THINGS = (
    "oven door", "bicycle lamp", "kitchen radio", "garden gate", "printer", "blue kettle", "attic window", "doorbell",
)  # fmt: skip
SYMPTOMS = ("does not close", "flickers in the evening", "hums after ten minutes", "is stuck again")

# What was decided, done, wanted, or only thought of.
PLANS = (
    "We decided to paint the boat shed because the wood is rotting.",
    "I might sell the old piano, perhaps.",
    "I finally fixed the kitchen tap: the washer was worn.",
    "I am thinking about learning Danish.",
    "We decided to postpone the trip to Fehmarn because the ferry is full.",
    "I want to run a half marathon in autumn.",
    "I might give up the second newspaper, perhaps.",
    "I finally solved the damp in the cellar: the pipe behind the wall was cracked.",
    "I am thinking about keeping bees.",
    "We decided to rent the hall in May because the school is closed.",
    "I want to read all of Fontane.",
    "I finally repaired the bicycle lamp: the cable was loose.",
    "I might take the night train, perhaps.",
    "We decided to keep the old stove because the new one smokes.",
)
