"""Words that tell what a document is about, and those that tell nothing in languages other than English."""

from recollect.core.terms import terms

_DOMAINS = {
    "finance": """invoice payment pay budget price cost tax bank salary refund deposit loan mortgage rent euros
        dollars pounds quarter revenue expense discount account rechnung miete kaution euro zahlung
        konto steuer factura pago banco loyer facture""",
    "health": """doctor hospital clinic blood operation surgery medicine pill dose therapy dentist nurse patient
        allergy appointment knee pain diagnosis vaccine iron vitamin mg arzt krankenhaus tabletten
        médico hospital médecin""",
    "travel": """trip travel flight hotel train ticket airport luggage passport itinerary coach visa vacation
        holiday booking night reise zug flug bahnhof fahrkarten nachtzug hotel viaje vuelo voyage gare""",
    "family": """mum mom dad mother father sister brother son daughter kids children wife husband grandma grandpa
        baby parents wedding birthday mutter vater kinder familie madre hijo mère enfants""",
    "home": """flat house apartment kitchen boiler plumber carpenter furniture landlord lease lamp sofa garden
        roof move renovation cleaning wohnung vermieter küche haus casa cocina maison cuisine""",
    "garden": "garden lawn compost beds tomatoes soil seeds plants planting greenhouse shed garten",
    "food": """recipe cook dinner lunch restaurant menu caterer vegetarian vegan soup bread cake flour oven
        taste wine breakfast kochen rezept essen comida receta cena""",
    "school": "school class teacher exam course university lecture homework student thesis degree grade schule escuela",
    "sport": "training match race regatta team coach goal run swim rowing rower tennis football gym marathon boat club",
    "engineering": """server database deploy release bug code api build test sensor firmware hardware batch soldering
        software python backend frontend latency cluster migration backup repository certificate
        calibration 数据库""",
    "design": "design logo layout colour color font mockup prototype sketch brand typography figma",
    "legal": "contract clause lawyer court lease sign signature agreement liability notice landlord vertrag contrato",
    "sales": "customer order quote deal pipeline prospect demo pricing contract delivery sell renewal kunde",
    "hiring": "candidate interview resume cv hire offer role recruiter onboarding vacancy applicant",
    "logistics": "delivery parcel shipping warehouse packaging van truck freight customs stock supplier lieferung 仓库",
    "marketing": "campaign newsletter launch audience brand social post website blog advert seo",
}
_ACTIVITIES = {
    "decision": "decided decision agreed approved chose settled accept signed beschlossen entschieden 决定",
    "planning": "plan planning schedule launch deadline book booked appointment agenda milestone next roadmap termin",
    "problem": "broken bug fail failed failure leak error drift issue stolen wrong stop crash delay late kaputt",
    "request": "please could need ask send question bitte favor",
    "update": "update done finished arrived changed moved started installed news",
}


def _stemmed(listed: dict[str, str]) -> dict[str, frozenset[str]]:
    return {name: frozenset(terms(said)) for name, said in listed.items()}


DOMAINS = _stemmed(_DOMAINS)
ACTIVITIES = _stemmed(_ACTIVITIES)

_FUNCTION_WORDS = {
    "german": """der die das den dem des ein eine einen einem einer und oder aber nicht ist sind war wird werden
        hat haben mit auf für ab von zu im am an bei nach über um aus bis durch ich du er sie es wir ihr
        uns mich mir ihm ihn ihnen mein dein sein auch nur noch schon sehr so wie was wer wo wenn dass
        weil als kein keine zum zur beim vom sich man mehr sein bleiben bleibt haben hatte wurde kann
        können muss müssen soll will ihre ihren seine dieser diese dieses""",
    "french": """le la les un une des du de et ou mais ne pas est sont était sera a ont avec sur pour dans par au
        aux ce cette ces il elle on nous vous ils elles je tu me te se mon ton son notre votre leur qui
        que quoi dont où si plus très aussi comme être avoir fait c'est d'un d'une""",
    "spanish": """el la los las un una unos de del y o pero no es son era será ha han con en por para al a lo le
        se su sus mi tu yo él ella nosotros ellos que qué quien como cuando donde si más muy también ya
        este esta estos fue ser estar hay tiene""",
    "italian": """il lo la i gli le un una di del della dei e o ma non è sono era sarà ha hanno con su per in da
        al alla a si mi ti ci che chi come quando dove se più molto anche questo questa io lui lei noi
        loro""",
    "portuguese": """o a os as um uma de do da dos das e ou mas não é são era será tem com em no na por para ao que
        quem como quando onde se mais muito também este esta eu ele ela nós eles""",
    "dutch": """de het een en of maar niet is zijn was wordt heeft hebben met op voor van te in aan bij naar
        over om uit ik je hij zij we ze ons mijn ook nog al zeer zo als wat wie waar dat die dit deze""",
}
FUNCTION_WORDS = {name: frozenset(said.split()) for name, said in _FUNCTION_WORDS.items()}
