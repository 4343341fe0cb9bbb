"""The closed word lists that the rules lean on: what may be a job, a diet, an editor, a relative, a name."""

import re
from collections.abc import Iterable


def listed(words: str) -> frozenset[str]:
    """The words of a line as a set."""
    return frozenset(words.split())


def _lines(words: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in words.replace("\n", " ").split("|") if part.strip())


def alternatives(words: Iterable[str]) -> str:
    """A regular expression for any of the words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))


RELATIVES = listed(
    "mother mom mum mummy mama father dad daddy papa parents sister brother siblings sibling twin "
    "daughter son child children kid kids"
    " wife husband spouse partner girlfriend boyfriend fiancé fiancée fiance fiancee grandmother grandma "
    "granny nan grandfather grandpa"
    " grandad granddad grandparents aunt auntie uncle cousin niece nephew grandson granddaughter "
    "stepmother stepfather stepmom"
    " stepdad stepson stepdaughter stepbrother stepsister mother-in-law father-in-law sister-in-law "
    "brother-in-law in-laws"
    " godmother godfather godson goddaughter ex ex-wife ex-husband ex-girlfriend ex-boyfriend "
    "half-brother half-sister family baby toddler youngest eldest oldest gran"
)
RELATIVES |= frozenset({f"{kin} in law" for kin in ("mother", "father", "sister", "brother", "son", "daughter")})
ACQUAINTANCES = listed(
    "friend friends colleague colleagues coworker coworkers co-worker co-workers boss manager supervisor "
    "mentor teammate roommate flatmate"
    " housemate neighbour neighbor neighbours neighbors landlord landlady teacher professor advisor "
    "adviser tutor therapist"
    " doctor dentist gp physio coach trainer assistant accountant lawyer client clients customer "
    "co-founder cofounder cto ceo"
    " intern student students lead predecessor successor au-pair nanny babysitter cleaner"
)
PARTNERS = listed("wife husband spouse partner girlfriend boyfriend fiancé fiancée fiance fiancee")
CHILDREN = listed("son daughter child kid baby toddler stepson stepdaughter")
PETS = listed(
    "dog cat puppy kitten rabbit bunny hamster parrot budgie goldfish fish turtle tortoise snake lizard "
    "gecko horse pony guinea-pig"
    " ferret labrador poodle beagle corgi dachshund retriever terrier bulldog husky collie spaniel pug "
    "greyhound axolotl canary cockatiel"
    " chinchilla hedgehog rat mouse gerbil chicken hen goat donkey dogs cats rabbits parrots hamsters "
    "hens chickens goats budgies"
    " shepherd dalmatian chihuahua mutt tabby lurcher whippet cockapoo labradoodle cavapoo cavachon setter pointer "
    "mastiff"
    " rottweiler doberman akita shiba pomeranian schnauzer vizsla weimaraner ragdoll siamese sphynx moggy kitty pup "
    "doggo"
    " pooch cockatoo lovebird macaw parakeet iguana tarantula koi betta mare gelding stallion foal alpaca llama alpacas"
    " llamas sheep ewe piglet pig pigs duck ducks goose geese lab labs pigeon hound bloodhound wolfhound deerhound "
    "sheepdog"
    " staffie staffy frenchie malamute samoyed newfoundland pitbull jack-russell westie yorkie cavalier puppies kittens"
    " persian bengal tomcat rex dragon cob greyhounds whippets lurchers beagles corgis pugs terriers spaniels "
    "labradors poodles"
    " retrievers huskies collies pups tortoises ferrets gerbils guinea-pigs horses ponies snakes geckos"
)
THINGS_OF_A_TEAM = listed(
    "team company startup start-up firm office department project product app application service "
    "services backend frontend"
    " codebase stack api platform website site database cluster pipeline repo repository deployment server servers"
    " customers clients users employer workplace boss manager lab group school university club band "
    "agency studio shop store"
    " restaurant bakery café cafe practice clinic library build release roadmap monorepo deadline launch sprint standup"
    " infrastructure data warehouse system systems business organisation organization nonprofit charity "
    "budget contract sla"
    " policy policies tests test-suite ci compiler firmware mobile search monolith microservices login backups logs"
)
THINGS_OF_A_PERSON = listed(
    "house flat apartment home garden allotment car bike bicycle motorbike motorcycle van boat guitar "
    "piano violin cello"
    " thesis dissertation degree major minor phd book novel blog podcast channel wedding honeymoon "
    "anniversary surgery operation"
    " exam exams interview flight appointment visa passport lease rent mortgage salary contract shift "
    "shifts commute hobby hobbies"
    " allotment studio workshop camera laptop computer phone keyboard desk setup marathon race trip "
    "holiday vacation move"
    " due-date graduation retirement sabbatical landlord gym birthday-party probation parental-leave "
    "maternity-leave internship"
    " blood-type shoe-size height weight religion faith star-sign zodiac-sign cabin cottage farm orchard "
    "greenhouse instrument"
    " brother's sister's wife's husband's mother's father's knee back shoulder hip team company employer "
    "boss manager project"
    " startup office department business job field specialty degree background citizenship roommate "
    "neighbourhood neighborhood"
    " village hometown accent surname last-name middle-name maiden-name first-name licence license driver's-license"
)
COUNTRIES = _lines("""
    Germany|France|Spain|Portugal|Italy|Austria|Switzerland|Belgium|the Netherlands|Netherlands|Luxembourg|Denmark
    |Sweden|Norway|Finland|Iceland|Ireland|England|Scotland|Wales|the UK|UK|the United Kingdom|Britain|Poland
    |Czechia|the Czech Republic|Slovakia|Slovenia|Hungary|Romania|Bulgaria|Greece|Turkey|Croatia|Serbia|Bosnia
    |Ukraine|Russia|Estonia|Latvia|Lithuania|the US|US|USA|the USA|the States|America|the United States|Canada
    |Mexico|Brazil|Argentina|Chile|Peru|Colombia|Venezuela|Ecuador|Bolivia|Uruguay|Cuba|Japan|China|Taiwan|Korea
    |South Korea|Vietnam|Thailand|Malaysia|Indonesia|the Philippines|Philippines|India|Pakistan|Bangladesh|Sri Lanka
    |Nepal|Iran|Iraq|Israel|Lebanon|Jordan|Syria|Egypt|Morocco|Algeria|Tunisia|Nigeria|Ghana|Kenya|Ethiopia|Tanzania
    |Uganda|South Africa|Australia|New Zealand|California|Texas|Florida|Bavaria|Europe|Asia|Africa|Scandinavia
    |Catalonia|Tuscany|Brittany|Cornwall|Hawaii|Alaska
""")
DEMONYMS = listed(
    "German French Spanish Portuguese Italian Austrian Swiss Belgian Dutch Danish Swedish Norwegian "
    "Finnish Icelandic Irish English"
    " Scottish Welsh British Polish Czech Slovak Slovenian Hungarian Romanian Bulgarian Greek Turkish "
    "Croatian Serbian Bosnian Ukrainian"
    " Russian Estonian Latvian Lithuanian American Canadian Mexican Brazilian Argentinian Argentine "
    "Chilean Peruvian Colombian"
    " Venezuelan Japanese Chinese Taiwanese Korean Vietnamese Thai Malaysian Indonesian Filipino "
    "Filipina Indian Pakistani"
    " Bangladeshi Nepali Nepalese Iranian Persian Iraqi Israeli Lebanese Jordanian Syrian Egyptian "
    "Moroccan Algerian Tunisian Nigerian"
    " Ghanaian Kenyan Ethiopian Tanzanian Ugandan Australian Singaporean Albanian Armenian Georgian "
    "Kazakh Cuban Dominican"
    " Jamaican Ecuadorian Bolivian Uruguayan Paraguayan Maltese Cypriot Luxembourgish Macedonian Afghan "
    "Saudi Somali Sudanese"
)
TONGUES = DEMONYMS | listed(
    "Mandarin Cantonese Hindi Urdu Bengali Tamil Telugu Marathi Gujarati Punjabi Arabic Hebrew Farsi "
    "Swahili Yoruba Igbo Amharic Tagalog Malay"
    " Catalan Basque Galician Esperanto Latin Kurdish Pashto Flemish Gaelic Afrikaans Zulu Malayalam "
    "Kannada Sinhala Khmer Mongolian"
    " Twi Ewe Akan Hausa Xhosa Wolof Shona Tigrinya Quechua Guarani Guaraní Nahuatl Breton Frisian Romansh Sardinian "
    "Sicilian Maori Māori Hawaiian Samoan Tongan Fijian Javanese Sundanese Cebuano Ilocano Burmese Lao Tibetan Uyghur "
    "Uzbek Turkmen Tajik Kyrgyz Azerbaijani Chechen Yiddish Ladino Creole Patois Odia Assamese Konkani Tulu "
    "Kashmiri Sindhi Balochi Hokkien Hakka Teochew Shanghainese Faroese Greenlandic Inuktitut Navajo Bambara "
    "Lingala Kinyarwanda Kirundi Luganda Chichewa Setswana Sesotho Malagasy Fula Oromo Kikuyu Corsican Occitan Maltese "
    "Aymara Belarusian Montenegrin Walloon"
)
TONGUE = (
    r"(?:(?:Brazilian|European|Swiss|Austrian|British|American|Canadian|Mexican|Argentinian|Egyptian|Moroccan|Lebanese"
    rf"|Levantine|Indian|Australian) (?=[A-Z]))?(?:{alternatives(TONGUES)})"
)
"""A language, with which of its kinds it is."""
DIETS = _lines("""
    vegetarian|vegan|pescatarian|pescetarian|flexitarian|halal|kosher|keto|ketogenic|paleo|gluten-free|gluten free
    |dairy-free|dairy free|low-carb|low carb|lactose-free|lactose free|plant-based|plant based|raw vegan|fruitarian
    |carnivore|low-FODMAP|low FODMAP|Mediterranean|sugar-free|lacto-vegetarian|ovo-vegetarian|lacto-ovo vegetarian
    |omnivore|low-sodium|low sodium|nut-free|egg-free|Jain|veggie|whole30|low-salt|low salt
""")
CONDITIONS = _lines("""
    type 1 diabetes|type 2 diabetes|type one diabetes|type two diabetes|diabetes|asthma|ADHD|ADD|autism|dyslexia
    |dyscalculia|dyspraxia|epilepsy|migraines|chronic migraines|migraine|celiac disease|coeliac disease
    |Crohn's disease|Crohn's|ulcerative colitis|IBS|arthritis|rheumatoid arthritis|osteoarthritis|osteoporosis
    |multiple sclerosis|MS|Parkinson's|Parkinson's disease|high blood pressure|hypertension|low blood pressure
    |hypothyroidism|hyperthyroidism|Hashimoto's|PCOS|endometriosis|psoriasis|eczema|anxiety|an anxiety disorder
    |anxiety disorder|depression|bipolar disorder|OCD|PTSD|insomnia|sleep apnea|sleep apnoea|tinnitus|vertigo
    |fibromyalgia|chronic fatigue|chronic fatigue syndrome|long COVID|lupus|sickle cell disease|hemophilia
    |haemophilia|glaucoma|color blindness|colour blindness|scoliosis|gout|anemia|anaemia|COPD|cystic fibrosis|HIV
    |hepatitis B|kidney disease|a heart condition|heart condition|heart disease|an arrhythmia|arrhythmia|Tourette's
    |narcolepsy|cerebral palsy|a pacemaker|hay fever|reflux|acid reflux|GERD|chronic back pain|back pain|sciatica
    |carpal tunnel syndrome|carpal tunnel|a hearing impairment|hearing loss|a visual impairment|low vision
    |chronic pain|POTS|Ehlers-Danlos syndrome|Ehlers-Danlos|RSI|high cholesterol|a slipped disc|a bad knee
    |a bad back|a prosthetic leg|claustrophobia|vitiligo|rosacea|Raynaud's|Ménière's disease|Meniere's disease
    |prediabetes|aphantasia|face blindness|social anxiety|one kidney|atrial fibrillation|a heart murmur
    |Down syndrome|Marfan syndrome|underactive thyroid|overactive thyroid|an underactive thyroid|astigmatism
    |keratoconus|an eating disorder|eating disorder|anorexia|bulimia|aphasia|ataxia|alopecia|hyperacusis|misophonia
    |dysphagia|lymphoedema|lymphedema|lipoedema|sickle cell|Hashimoto's disease|Graves' disease|Graves disease
    |Addison's|Addison's disease|Lyme disease|diverticulitis|a stammer|a stutter|agoraphobia|PMDD|MCAS|ME/CFS
    |an ileostomy|a colostomy|dyspraxia|synaesthesia|cluster headaches|chronic insomnia|night blindness
    |haemochromatosis|hemochromatosis|porphyria|sarcoidosis|vasculitis|myasthenia gravis|kidney stones|varicose veins
""")
CONDITION_ADJECTIVES = _lines("""
    diabetic|type 1 diabetic|type 2 diabetic|asthmatic|dyslexic|epileptic|autistic|colour-blind|color-blind
    |colorblind|colourblind|colour blind|color blind|deaf|blind|legally blind|hard of hearing|partially sighted
    |visually impaired|coeliac|celiac|hypertensive|bipolar|neurodivergent|anaemic|anemic|paraplegic
    |a wheelchair user|wheelchair user|deaf in one ear|blind in one eye|hearing impaired|partially deaf|prediabetic
    |claustrophobic|HIV positive|HIV-positive|immunocompromised|arthritic|haemophiliac|hemophiliac
""")
INTOLERANCES = listed(
    "lactose gluten fructose histamine wheat dairy milk sorbitol caffeine alcohol egg eggs soy nickel "
    "sulfites sulphites fodmaps msg"
)
MEDICINES = listed(
    "metformin insulin levothyroxine lisinopril amlodipine atorvastatin simvastatin omeprazole "
    "pantoprazole sertraline fluoxetine"
    " citalopram escitalopram venlafaxine bupropion ritalin adderall vyvanse concerta methylphenidate "
    "ibuprofen aspirin warfarin"
    " apixaban xarelto eliquis prednisone prednisolone methotrexate humira albuterol salbutamol ventolin "
    "montelukast cetirizine"
    " loratadine antihistamines antidepressants statins beta-blockers betablockers lithium lamotrigine "
    "quetiapine gabapentin pregabalin"
    " topiramate propranolol metoprolol bisoprolol losartan ramipril candesartan hydrochlorothiazide "
    "furosemide spironolactone"
    " ozempic semaglutide wegovy finasteride minoxidil accutane isotretinoin tamoxifen sumatriptan "
    "melatonin estradiol testosterone"
    " prozac zoloft lexapro xanax valium synthroid lipitor immunosuppressants anticoagulants thyroxine "
    "naproxen paracetamol duloxetine"
    " novorapid humalog lantus tresiba fiasp levemir toujeo trulicity mounjaro victoza januvia jardiance symbicort "
    "seretide fostair advair flovent pulmicort stelara cosentyx dupixent enbrel entyvio plaquenil ramipril digoxin "
    "hydroxychloroquine sulfasalazine mesalazine pyridostigmine baclofen tramadol codeine keppra lamictal elvanse "
    "guanfacine strattera atomoxetine buspirone clozapine olanzapine aripiprazole abilify cymbalta effexor wellbutrin "
    "celexa paxil colchicine carbimazole oxytocin liothyronine spiriva nexium zantac ivabradine "
    "amiodarone sotalol clonidine domperidone ondansetron fexofenadine desloratadine nortriptyline amitriptyline"
    " mirtazapine trazodone clonazepam lorazepam tacrolimus azathioprine allopurinol clopidogrel "
    "rosuvastatin euthyrox iron levetiracetam valproate"
)
JOKE_ALLERGIES = listed(
    "mondays monday mornings meetings work exercise stupidity bullshit people drama homework math maths "
    "responsibility commitment"
    " nonsense bureaucracy sports effort cardio fun adulting small-talk javascript java php python excel "
    "spreadsheets decisions idiots early"
    " waiting deadlines housework cleaning running paperwork chores losing failure love politics lies "
    "fools it that this bad boredom jargon buzzwords bugs"
)
NOT_PLACES = listed(
    "Excel Slack Vim Emacs Jira Outlook Teams Zoom Notion Figma Gmail Hell Heaven Narnia Mordor Hogwarts "
    "Gotham Wakanda Westeros Atlantis Azeroth"
    " Minecraft Fortnite Twitter Reddit Discord GitHub Git VSCode Python Java JavaScript TypeScript Rust "
    "PowerPoint Word Photoshop Docker Kubernetes Linux"
    " Windows Terminal CSS HTML YAML JSON COBOL Haskell Scala Kotlin Swift Monday Tuesday Wednesday "
    "Thursday Friday Saturday Sunday January February March April June"
    " July August September October November December Earth Mars Neverland Oz Wonderland Rivendell "
    "Tatooine Asgard Hope Sin Exile Denial Harmony Silence Luxury Squalor Constant Fear Peace Love Dreamland"
)
STATES_OF_LIFE = listed(
    "fear hope denial peace squalor poverty pain exile sin misery luxury harmony silence darkness chaos comfort dread"
    " terror agony ignorance solitude isolation shame debt dreams style sync constant abject utter bliss limbo awe"
    " sorrow grief guilt regret danger safety freedom faith anticipation expectation panic anxiety confinement"
    " wonder confusion hiding captivity filth mess pyjamas pajamas sweatpants interesting uncertain tough hard"
)
"""What one lives in that is no place."""
TITLES = listed(
    "Dr Mr Mrs Ms Miss Prof Sir Madam Mister Captain Sister Brother Lord Lady Prince Princess Baron Baroness Count "
    "Countess Duke Duchess Commander General Colonel Major Sergeant Admiral Emperor Empress Wizard Detective Agent "
    "Father Mother Master Pope Saint Uncle Auntie Doctor Professor"
)
"""What stands before a name; with most of them somebody plays a part, or it is an animal."""
JOKE_NAMES = listed(
    "Batman Superman Spider-Man Spiderman Groot Spartacus Legend Gandalf Dracula Zorro God Jesus Santa "
    "Hulk Iron Darth Sherlock Napoleon Elvis Voldemort"
    " Queen King Beyoncé Neo Loki Thor Yoda Cinderella Godzilla Frodo Shrek Thanos Hamlet Hodor Tarzan Elsa Bond"
)
NOT_NAMES = (
    JOKE_NAMES
    | TITLES
    | DEMONYMS
    | TONGUES
    | listed(
        "I OK Ok Okay Sure Yes No Not Sorry So Very Too Just Still Also Always Never Here There Vegan "
        "Vegetarian Jewish Muslim Christian Catholic Hindu Buddhist"
        " Protestant Atheist Sikh Asian European African Latino Latina Hispanic Black White Busy Fine "
        "Good Great Tired Back Done Ready Happy Sad Gay Bi Trans"
        " Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June "
        "July August September October November December"
        " Christmas Easter Python Java Rust Linux Windows CTO CEO CFO COO VP HR IT QA PM UX UI ADHD OCD "
        "HIV GDPR API AI ML Scorpio Libra Aries Taurus Gemini Leo"
        " CET CEST EST EDT PST PDT MST CST GMT UTC BST IST JST PT ET OP"
        " Virgo Sagittarius Capricorn Aquarius Pisces Cancer Team Project The A An My Our Your"
    )
)
UNIVERSITIES = _lines("""
    Leeds Beckett|Sheffield Hallam|Oxford Brookes|Stanford|Harvard|Yale|Princeton|Cornell|Dartmouth|Oberlin|Vassar
    |Georgetown|Purdue|Rutgers|Berkeley|Caltech|MIT|UCLA|UCL|LSE|NYU|USC|UNC|Georgia Tech|Virginia Tech|Penn State
    |Ohio State|Michigan State|Texas Tech|Carnegie Mellon|Johns Hopkins|Notre Dame|Northwestern|Duke|Emory|Vanderbilt
    |Tufts|Wellesley|Swarthmore|Bowdoin|McGill|Waterloo|Concordia|Dalhousie|Imperial|King's College|Goldsmiths|SOAS
    |St Andrews|Trinity|Sciences Po|Sorbonne|Bocconi|ETH|ETH Zürich|EPFL|TU Delft|KU Leuven|Sapienza|Charles University
    |Monash|RMIT|UNSW|Otago|Waseda|Keio|Todai|KAIST|Tsinghua|Fudan|NUS|NTU|IIT Bombay|IIT Delhi|UNAM|Makerere|Wits
""")
JOBS = listed(
    "accountant actor actress actuary administrator analyst animator anthropologist archaeologist "
    "architect archivist artist astronomer"
    " attorney auditor author baker banker barber barista bartender beekeeper biochemist biologist "
    "blacksmith blogger bookkeeper botanist"
    " bricklayer broker builder butcher caregiver carer caretaker carpenter cartographer cashier chef "
    "chemist choreographer cinematographer"
    " cleaner clerk coach composer comedian conductor consultant contractor cook coordinator copywriter "
    "counsellor counselor courier crane-operator curator cto"
    " ceo cfo coo dancer decorator dentist dermatologist designer dev developer dietitian diplomat "
    "director dispatcher doctor drummer driver economist editor"
    " educator electrician engineer entrepreneur epidemiologist estate-agent executive farmer filmmaker "
    "firefighter fisherman florist founder co-founder cofounder"
    " freelancer gardener geneticist geologist geographer glazier goldsmith guide hairdresser handyman "
    "historian housekeeper housewife"
    " hydrologist hygienist illustrator immunologist inspector instructor interpreter intern investor "
    "jeweller jeweler journalist judge"
    " joiner lab-technician landscaper lawyer lecturer librarian linguist locksmith machinist magician "
    "manager marketer mason mathematician"
    " mechanic meteorologist microbiologist midwife milliner miner minister model mover musician nanny "
    "neurologist neuroscientist notary novelist"
    " nurse nutritionist oceanographer officer oncologist optician optometrist orthodontist osteopath "
    "painter paediatrician pediatrician paralegal"
    " paramedic pastor pathologist pharmacist philosopher photographer physician physicist "
    "physiotherapist pianist pilot plasterer"
    " plumber podcaster poet policeman policewoman politician porter postdoc potter priest principal "
    "producer professor programmer"
    " prosecutor psychiatrist psychologist publicist radiographer radiologist realtor receptionist "
    "recruiter referee reporter researcher roofer"
    " sailor salesman saleswoman salesperson scientist screenwriter sculptor seamstress secretary singer "
    "social-worker sociologist soldier solicitor"
    " sommelier sre statistician steward stewardess student streamer superintendent surgeon surveyor "
    "tailor teacher technician technologist"
    " therapist translator trainer trader tutor typographer undertaker upholsterer urologist vet "
    "veterinarian videographer violinist"
    " waiter waitress warden watchmaker weaver welder writer youtuber zoologist zookeeper assistant "
    "specialist strategist planner lead agent worker operator"
    " postman postwoman mailman paediatrist headteacher lector associate tester head supervisor foreman "
    "apprentice owner shopkeeper freelancer retiree pensioner grad"
    " luthier cobbler cellist ecologist ranger cabin-attendant ux-designer gp devops sysadmin registrar "
    "consultant barrister paralegal copyeditor dba admin-assistant bookseller mediator arborist "
    "chiropractor hairstylist stylist"
)
JOBS |= listed(
    "aerialist adjuster adjunct agronomist airman ambassador anaesthetist anesthetist announcer appraiser assembler "
    "assessor astronaut auctioneer bailiff ballerina bandleader barmaid barman bassoonist beautician beekeeper bellhop "
    "boatbuilder boilermaker bookbinder bosun bouncer brewer broadcaster bursar busker buyer cabbie captain caterer "
    "ceramicist chaplain chauffeur cheesemonger chemist childminder chocolatier chaperone columnist compositor "
    "concierge "
    "confectioner constable controller cooper correspondent councillor cowboy critic crofter croupier custodian "
    "dairyman "
    "deacon dean deckhand detective dishwasher distiller dj docker doula drafter draughtsman draftsman draftsperson "
    "driller "
    "embalmer engraver estimator evaluator exterminator facilitator farmhand farrier ferryman fisher fishmonger fitter "
    "forester forecaster fundraiser furrier gamekeeper geophysicist glassblower grocer greengrocer groom groomer "
    "groundskeeper groundsman guard headmaster headmistress horticulturist hostess hotelier imam indexer innkeeper "
    "janitor jockey landlord lifeguard lineman lobbyist logger lumberjack magistrate maid manicurist masseur masseuse "
    "mayor medic merchandiser merchant missionary modeller modeler mortician navigator newsreader nun orderly organist "
    "organizer organiser packer patissier phlebotomist piercer playwright presenter printer proofreader provost "
    "puppeteer "
    "purser quant rabbi rancher rep representative rigger roofer saddler sales-rep scaffolder senator sergeant sexton "
    "shepherd signalman skipper smith sonographer stagehand stenographer stevedore stockbroker stocker stonemason "
    "stuntman "
    "subeditor tattooist taxidermist teller thatcher tiler toolmaker trapper trawlerman treasurer trucker turner "
    "typesetter underwriter usher valet valuer vicar vintner viticulturist winemaker wrangler cyclist-courier postie "
    "sysop techie programmer coder swe sdet dietician audiologist podiatrist hca cna lpn rn paediatrician "
    "anesthesiologist "
    "paramedic pharmacologist perfusionist prosthetist orthotist sonologist dogwalker dog-walker minder handler "
    "rower-coach"
)
_TRADE_ENDINGS = re.compile(
    r"\w{2,}(?:ologist|iatrist|grapher|smith|wright|monger|fitter|layer(?<!player)|hand(?<!hand-)|technician|mechanic"
    r"|worker|engineer|therapist|geologist|surgeon|teacher|developer|scientist|analyst|officer|inspector|manager)"
)


def is_trade(noun: str) -> bool:
    """Whether a noun names what one does for a living: a known trade, or one by its ending."""
    return noun in JOBS or _TRADE_ENDINGS.fullmatch(noun) is not None


OPENING_WORDS = listed(
    "Same Me None Over Right Still Out Down Up Nothing Everyone Everybody Anyone Nobody Someone Somebody Newbie "
    "Beginner "
    "Student Developer Dad Mum Mom Teacher New Long-time Longtime First Question Lots Only Again Yes It That This "
    "Problem "
    "User Programmer Engineer Parent Nurse Noob Everything All Most Another Two Three Both Live Been Stuck Lost "
    "Early Late "
    "Morning Evening Weather Sunny Winter Summer Spring Autumn Home Now Winters Summers Things Life Ditto Likewise "
    "Same-day"
)
NOT_JOBS = listed(
    "pretty cautious intermediate amateur beginner hobby hobbyist aspiring wannabe home careful nervous confident "
    "novice "
    "competitive recreational casual advanced former ex future would-be fairly quite rather very somewhat defensive "
    "safe "
    "budding self-taught weekend sometime occasional enthusiastic passionate mediocre failed frustrated closet "
    "armchair "
    "nature fantastic amazing awesome shooting point spiritual life role "
    "good bad great terrible big huge slow fast better worse real total complete proud happy visual "
    "quick lousy decent avid keen"
    " night morning heavy light strong weak deep poor rich lucky sad new late early bit little control "
    "picky fussy hopeless natural born"
)
LANGUAGES = _lines("""
    Python|JavaScript|TypeScript|Java|Kotlin|Scala|Rust|Go|Golang|C++|C#|C|Ruby|PHP|Swift|Objective-C|Haskell|Elixir
    |Erlang|Clojure|F#|OCaml|R|Julia|Perl|Lua|Dart|Zig|Nim|Fortran|COBOL|MATLAB|Lisp|Common Lisp|Scheme|Racket|Bash
    |SQL|Elm|Crystal|Groovy|Ada|Pascal|Delphi|Visual Basic|Gleam|Prolog|Solidity
""")
EDITORS = _lines("""
    VS Code|VSCode|Visual Studio Code|Visual Studio|Vim|Neovim|NeoVim|nvim|Emacs|Doom Emacs|Spacemacs|Zed
    |Sublime Text|Sublime|Atom|IntelliJ|IntelliJ IDEA|PyCharm|WebStorm|RubyMine|GoLand|CLion|Rider|PhpStorm|Eclipse
    |Xcode|Android Studio|Helix|Kakoune|nano|Nano|Notepad++|Cursor|Windsurf|TextMate|BBEdit|Spyder|JupyterLab
    |RStudio|Kate|Geany|Nova|Lapce|NetBeans|RustRover|micro
""")
SYSTEMS = _lines("""
    Linux|Ubuntu|Debian|Fedora|Fedora Linux|Arch Linux|Arch|Manjaro|Linux Mint|Mint|openSUSE|NixOS|Gentoo|Pop!_OS
    |Pop OS|Kubuntu|Xubuntu|Kali Linux|Kali|Alpine Linux|Alpine|Rocky Linux|CentOS|RHEL|Red Hat|macOS|Mac OS|OS X
    |Mac OS X|Windows|Windows 11|Windows 10|Windows 7|WSL|WSL2|ChromeOS|Chrome OS|FreeBSD|OpenBSD|NetBSD|Android|iOS
    |Elementary OS|macOS Sonoma|macOS Sequoia|Ubuntu 22.04|Ubuntu 24.04|Void Linux|EndeavourOS|a Mac|Slackware|Guix
    |Guix System|Asahi Linux|Zorin OS
""")
FRAMEWORKS = _lines("""
    Django|Flask|FastAPI|Starlette|React|Next.js|NextJS|Vue|Vue.js|Nuxt|Angular|Svelte|SvelteKit|Solid|SolidJS
    |Express|Express.js|NestJS|Ruby on Rails|Rails|Laravel|Symfony|Spring|Spring Boot|Quarkus|ASP.NET|ASP.NET Core
    |.NET|Phoenix|LiveView|Gin|Fiber|Actix|Axum|Rocket|Qt|Flutter|React Native|Electron|Tauri|PyTorch|TensorFlow|JAX
    |Keras|scikit-learn|htmx|HTMX|Remix|Gatsby|Ember|Backbone|jQuery|Bootstrap|Tailwind|Tailwind CSS|LangChain
    |LangGraph|Litestar|Sanic|Tornado|Blazor|Astro|Micronaut|Ktor|Vapor|Unity|Godot|Unreal|SwiftUI|Jetpack Compose
    |Pyramid|Hono
""")
DATABASES = _lines("""
    PostgreSQL|Postgres|MySQL|MariaDB|SQLite|MongoDB|Mongo|Redis|Cassandra|DynamoDB|CockroachDB|Oracle|SQL Server
    |MS SQL|DuckDB|ClickHouse|Neo4j|Elasticsearch|Couchbase|CouchDB|Firestore|Supabase|BigQuery|Snowflake|InfluxDB
    |TimescaleDB|ScyllaDB|Firebase|Qdrant|pgvector|Weaviate|Milvus|Pinecone|RethinkDB|Valkey|Db2
""")
PLURAL_RELATIONS = listed(
    "parents siblings children kids grandparents in-laws friends colleagues coworkers co-workers "
    "neighbours neighbors clients students twins"
)
FIRST_NAMES = listed(
    "Aaron Earl Ernest Ezra Harvey Howard Idris Ingo Jerry Larry Lloyd Mabel Marvin Norman Ray Stanley Wayne "
    "Abby Adam Adele Adrian Agnes Ahmed Aisha Akira Alan Alba Albert Alejandro Alex Alexander "
    "Alexandra Alexis Ali Alice Alicia Alina Alison Amanda Amara Amelia Amina Amir"
    " Amy Ana Anders Andre Andrea Andreas Andrew Andy Angela Anita Anja Anna Anne Annie Anouk Antonio "
    "Anton Aria Arjun Arthur Asha Astrid Ava Axel Aylin Barbara Beatriz Bella Ben Benjamin Bernd Beth"
    " Bianca Bill Björn Bob Bogdan Brian Brigitte Bruno Camila Camille Carla Carlos Carmen Caroline "
    "Catherine Cecilia Charles Charlie Charlotte Chen Chiara Chloe Chris Christian Christina Christoph "
    "Claire Clara"
    " Claudia Colin Connor Craig Dan Dana Daniel Daniela Dave David Deepak Denise Dennis Diana Diego "
    "Dina Dmitri Dominik Dora Doris Ed Eddie Edith Edward Elena Eli Elias Elif Elisa Elizabeth Ella "
    "Ellen Elena Elsa Emil"
    " Emilia Emily Emma Eric Erica Erik Erika Esra Esther Ethan Eva Eve Evelyn Fabian Farah Fatima Felix "
    "Finn Fiona Florian Frances Francesca Frank Franz Fred Freya Frida Gabriel Gabriela Gareth Gary "
    "Gemma George Georgia"
    " Gerald Giulia Giovanni Grace Greg Greta Guillaume Gustav Hamid Hana Hannah Hans Harold Harry "
    "Hassan Heidi Helen Helena Henrik Henry Hiroshi Hugo Ian Ibrahim Ida Igor Ines Inga Ingrid Irene "
    "Irina Iris Isaac Isabel Isabella"
    " Ivan Jack Jacob Jake Jakob James Jamie Jan Jana Jane Janet Jason Jasmine Javier Jean Jeff Jennifer "
    "Jenny Jens Jeremy Jerome Jessica Jill Jim Joan Joanna João Joe Joel Johan Johanna John Johnny Jonas "
    "Jonathan Jordan Jorge José Josef Joseph Josh"
    " Joshua Juan Judith Julia Julian Julie Juliette Jürgen Kai Karen Karin Karl Kate Katharina "
    "Katherine Kathrin Katie Katja Keiko Keith Kelly Ken Kenji Kevin Kim Klaus Kofi Kristin Kurt Kwame "
    "Kyle Lara Lars Laura Lauren Layla Lea Lena Leo"
    " Leon Leonie Leyla Liam Lila Lily Lina Linda Linus Lisa Liz Lola Lorenzo Louis Louisa Louise Luca "
    "Lucas Lucia Lucy Luis Luisa Lukas Luke Lydia Maggie Magnus Maja Malik Manuel Mara Marc Marco Marcus "
    "Maren Margaret Maria Marianne Marie Marina Mario"
    " Marion Mark Marko Markus Marta Martha Martin Martina Mary Mateo Mathias Matt Matteo Matthew "
    "Maurice Max Maya Megan Mehmet Mei Melanie Melissa Mia Michael Michelle Miguel Mika Mike Mila Milan "
    "Milo Mina Ming Miriam Mohamed Mohammed Moira Mona Monica Monika"
    " Moritz Muhammad Nadia Nancy Naomi Natalia Natalie Natasha Nathan Neil Nia Nick Nicola Nicolas "
    "Nicole Niels Nikhil Nikolai Nils Nina Noah Noel Nora Noor Olaf Oleg Olga Olivia Oliver Omar Oscar "
    "Otto Owen Pablo Paolo Pascal Patricia Patrick Paul Paula Pauline Pavel Pedro Penny"
    " Peter Petra Phil Philip Philipp Pia Pierre Pilar Piotr Priya Quentin Rachel Rafael Rahul Raj Ralf "
    "Ralph Raquel Rashid Ravi Rebecca Renata René Ricardo Richard Rick Rita Rob Robert Roberto Robin "
    "Roger Rohan Roland Roman Ron Ronja Rosa Rose Rosie Ruben Rudolf Rui Ruth Ryan Sabine Sally Sam "
    "Samantha"
    " Samir Samuel Sandra Sanjay Santiago Sara Sarah Sasha Saskia Scott Sean Sebastian Selim Selma "
    "Sergei Sergio Shan Shane Sharon Shreya Sigrid Silvia Simon Simone Sofia Sofie Sonia Sonja Sophia "
    "Sophie Stan Stefan Stefanie Stella Stephanie Stephen Steve Steven Sue Susan Susanne Suzanne"
    " Sven Sylvia Takeshi Tamara Tanja Tanya Tara Tariq Ted Teresa Tess Thea Theo Theresa Thomas Tia Tim "
    "Timo Tina Tobias Toby Tom Tomas Tommy Toni Tony Tracy Ulrich Uma Ursula Valentina Valerie Vanessa "
    "Vera Veronica Victor Victoria Vijay Viktor Vincent Viola Violet Vivian Vladimir"
    " Walter Wanda Wei Wendy Werner Will William Willem Xavier Yan Yara Yasmin Yuki Yuri Yusuf Yvonne "
    "Zara Zoe Zoë Priyanka Ananya Arun Kavya Lakshmi Meera Nisha Pooja Rhea Rosalind Rowan Siobhan "
    "Tadeusz Tomasz Ying Zainab Zeynep Ngozi Chidi Amaka Olu Thandi Sipho Henning Jette Mads Lotte Femke "
    "Joost"
)
IRREGULAR_PAST = listed(
    "was were had did went got gave took made saw met thought felt found left bought ate wrote spoke "
    "spent sent ran began became broke brought built"
    " caught chose came dealt drank drew drove fell fought flew forgot forgave froze grew heard held hid "
    "hurt kept knew laid led learnt lent lost meant paid"
    " quit rode rose said sang sat sold shook shot showed slept stole stood stuck struck swam taught "
    "told threw tore understood woke won wore burnt"
    " bet bit blew bled fed fled hung hit swore swung sank shrank spun spread dug bent lit lay ate "
    "dreamt sought withdrew undertook gotten wed"
)
ADVERBS = listed(
    "much also really actually just now currently still usually mostly mainly generally always "
    "absolutely personally recently finally definitely already"
    " truly quite normally typically often sometimes never only simply honestly especially primarily "
    "formally officially firmly particularly rarely seldom"
    " strongly totally completely basically genuinely regularly occasionally secretly fully originally "
    "both even once probably later then almost"
    " exclusively frequently seriously deeply sincerely initially eventually ultimately unanimously "
    "collectively jointly first hardly barely"
)
