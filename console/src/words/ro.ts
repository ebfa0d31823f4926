import { manyRo as many } from './many.ts';
import { chaosRo, inboxRo } from './ro/inbox.ts';
import { suppressionImportRo, suppressionsRo, templatesRo } from './ro/lists.ts';
import { reviewsRo } from './ro/reviews.ts';
import { runsRo } from './ro/runs.ts';
import { seatsRo } from './ro/seats.ts';
import { sourcesRo } from './ro/sources.ts';
import { statusMeaningsRo } from './ro/statuses.ts';
import type { Words } from './words.ts';

const either = new Intl.ListFormat('ro', { type: 'disjunction' });

/** Romanian. */
export const ro: Words = {
  name: 'Română',
  nav: {
    home: 'Acasă',
    deliveries: 'Livrări',
    deadLetters: 'Abandonate',
    review: 'De decis',
    seats: 'Locuri la cursuri',
    runs: 'Buletine',
    reviews: 'Recenzii de cod',
    suppressions: 'Adrese oprite',
    templates: 'Șabloane',
    inbox: 'Cutie poștală',
    audit: 'Jurnal',
    menu: 'Meniu',
    skip: 'Sari la conținut',
    signOut: 'Ieșire',
    language: 'Limba',
  },
  signIn: {
    title: 'Autentificare',
    lead: 'Arătați o dată o cheie de operator sau de citire; un cookie îi ține locul opt ore.',
    key: 'Cheia',
    button: 'Intră',
    help: 'Este una dintre cele din OPERATOR_API_KEY sau READ_API_KEY ale serverului.',
  },
  number: (count) => count.toLocaleString('ro'),
  statusMeanings: statusMeaningsRo,
  meanings: {
    good: 'bine',
    'in hand': 'în lucru',
    'needs a person': 'cere un om',
    'stopped on purpose': 'oprit intenționat',
  },
  home: {
    title: 'Acasă',
    map: 'Viața unei livrări',
    mapLead:
      'Câte sunt acum în fiecare loc. Cu cât o săgeată e mai groasă, cu atât mai multe au trecut în ultima oră.',
    mailExists: { no: 'niciun mesaj nu e posibil', perhaps: 'un mesaj e posibil', yes: 'mesaj acceptat' },
    moved: (count, from, to) =>
      `${many(count, 'livrare a trecut', 'livrări au trecut')} din ${from} în ${to} în ultima oră.`,
    noneMoved: (from, to) =>
      `Nimic nu a trecut din ${either.format(from)} în ${either.format(to)} în ultima oră.`,
    stays: (status) => `Amânată, rămâne ${status}; aceasta nu se numără.`,
    person: 'Ce cere un om',
    nothing: 'Nimic. Tot ce e pe drum este urmărit.',
    needsReview: (count: number) =>
      `${many(count, 'livrare', 'livrări')} despre care nimeni nu știe dacă mesajul există`,
    deadLetters: (count: number) => `${many(count, 'livrare abandonată', 'livrări abandonate')}`,
    paused: (what: string, reason: string, by: string) => `${what}: oprit de ${by}: ${reason}`,
    everything: 'Totul',
    provider: 'Furnizor',
    providerNames: { capture: 'Cutia poștală încorporată' },
    providerUp: (name: string) => `${name} primește mesaje.`,
    providerSwitched: (name, switches) => `${name} greșește intenționat: ${switches.join(', ')}.`,
    providerSwitches: 'Vezi comutatoarele',
    rate: 'Viteză',
    rateOf: (rate: number | null) => (rate === null ? 'fără limită' : `cel mult ${rate} pe secundă`),
    circuit: 'Circuit',
    circuitClosed: 'închis: mesajele pleacă',
    circuitOpen: 'deschis: nu se predă nimic, iar furnizorul este întrebat din când în când',
    restsUntil: 'lăsat în pace până la',
    quota: 'Cotă',
    quotaUsed: (used: number, of: number, per: 'day' | 'month') =>
      `${used.toLocaleString('ro')} din ${of.toLocaleString('ro')} ${per === 'day' ? 'azi' : 'luna aceasta'}`,
    quotaUsedUp: 'S-a epuizat: se poate ca furnizorul să nu mai primească.',
    noQuota: 'nu se știe de niciuna (MAIL_QUOTA_PER_DAY, MAIL_QUOTA_PER_MONTH)',
    troubles: {
      failing: 'câteva mesaje la rând nu au primit un răspuns limpede',
      throttled: 'spune că trimitem prea repede',
      over_quota: 'cota lui s-a epuizat',
      unauthorised: 'ne refuză cheia sau expeditorul',
      unreachable: 'nu se poate ajunge la el',
    },
    providerDown: (name: string, why: string) =>
      `${name} nu este întrebat acum: ${why}. Nimic nu se pierde și nicio încercare nu se numără.`,
    providerPaused: (name: string) => `${name} a cerut răbdare.`,
    feeds: 'Lista grupelor',
    feedFresh: (list, open) => `${list}: ${many(open, 'grupă', 'grupe')} cu locuri`,
    feedNone: (list) => `${list}: încă nicio listă`,
    feedAsked: 'cerută prima dată',
    feedStale: 'nicio listă de peste un minut',
    feedFailures: (count, cause) =>
      `${count === 1 ? 'ultima încercare a eșuat' : `${many(count, 'încercare', 'încercări')} la rând au eșuat`}${cause === '' ? '' : ` (${cause})`}`,
    feedCauses: {
      unreachable: 'nu se poate ajunge la ea',
      timed_out: 'niciun răspuns la timp',
      stalled: 'răspunsul s-a întrerupt',
      too_large: 'răspunsul este prea mare',
      unknown_term: 'nu există acest semestru',
    },
    feedHeld: 'listelor le lipsește prea mult ca să fie crezute',
    sample: 'un exemplu, nu un campus real',
    throughput: 'Mesaje acceptate pe minut',
    latency: 'De la cerere la acceptare, în secunde',
    latencyMiddle: 'jumătate',
    latencySlow: '99 din 100',
    noHistory: 'Nimic nu a fost trimis în ultima oră.',
    lost: 'Serverul sau baza lui de date nu răspunde. Aici se vede cum era; pagina încearcă singură din nou.',
  },
  deliveries: {
    title: 'Livrări',
    search: 'Caută după adresă, număr, cheie, id de mesaj, curs, listă de modificări sau perioadă',
    section: (text) => `Secțiuni ${text}, cu eliberările și livrările lor`,
    find: 'Caută',
    status: 'Stare',
    source: 'Sursă',
    all: 'toate',
    who: 'Cui și ce',
    state: 'Stare',
    when: 'Cerută',
    attempts: 'Încercări',
    more: 'Mai vechi',
    newest: 'Cele mai noi',
    empty: 'Nu este nicio livrare.',
    emptyFiltered: 'Nicio livrare nu se potrivește. Scoateți un filtru.',
    emptySought: (by) =>
      ({
        number:
          'Nicio livrare de aici nu are acest număr și nicio ocazie nu începe cu el. Este pus un filtru?',
        address:
          'Nicio livrare de aici nu a mers la această adresă. Începutul ei, până la @, găsește altele asemănătoare.',
        beginning: 'Nicio livrare nu se potrivește. Scoateți un filtru sau căutați mai puțin.',
      })[by],
    scanned: 'Nimic în această parte a listei; continuați cu cele mai vechi.',
  },
  delivery: {
    story: 'Povestea',
    mail: 'Mesajul',
    next: 'Urmează',
    waited: (text: string) => `după ${text}`,
    evidence: 'Dovada',
    html: 'Cum arată',
    text: 'Text',
    headers: 'Antete',
    round: (round: number) => `Runda ${round}`,
    noMail: 'Încă nu există mesaj: se scrie la prima încercare.',
    mailNeverWritten: 'Nu s-a scris niciun mesaj: a fost oprită înainte de prima încercare.',
    mailNotKept: 'Niciun mesaj al ei nu este păstrat aici.',
    copy: 'Copiază',
    copied: 'Copiat',
    requeue: 'Trimite din nou',
    requeueWhat: 'Se pune la loc și se trimite când o ia un proces, într-o rundă nouă, cu o cheie nouă.',
    resolveSent: 'A fost trimis',
    resolveSentWhat: 'Se socotește trimis și nu se mai trimite nimic.',
    resolveNotSent: 'Nu a fost trimis',
    resolveNotSentWhat: 'Se trimite din nou când o ia un proces, cu aceeași cheie.',
    resolveClosed: 'Nu se va ști',
    resolveClosedWhat: 'Se închide ca abandonată, cu îndoiala păstrată.',
  },
  work: {
    deadLetters: 'Abandonate',
    deadLettersLead:
      'Abandonate definitiv. Trimiteți din nou ce poate reuși acum; motivul rămâne în fiecare poveste.',
    noDeadLetters:
      'Nimic abandonat. Ce nicio altă încercare nu mai poate îndrepta ar aștepta aici, ca să fie trimis din nou.',
    seeTransient: 'Vezi ce a eșuat și se încearcă din nou',
    review: 'De decis',
    reviewLead:
      'Nu se poate afla dacă acestea au fost acceptate. Întrebați furnizorul, apoi spuneți ce ați aflat.',
    noReview:
      'Nimic de decis: despre fiecare mesaj se știe dacă a fost acceptat sau se află acum. Aici ar aștepta ce nu lămurește nici cheia, nici o căutare, nici un webhook.',
    seeReconciling: 'Vezi ce se lămurește acum',
    choose: 'Alege',
    chooseAll: 'Alege tot de pe această pagină',
    chosen: (count: number) => `${many(count, 'livrare aleasă', 'livrări alese')}`,
    again: (count: number) => `Trimite din nou la ${many(count, 'persoană', 'persoane')}`,
  },
  verb: {
    reason: 'De ce',
    reasonHelp: 'Se păstrează în poveste și în jurnal.',
    reasonOptional: 'De ce, dacă doriți',
    reasonAudit: 'Se păstrează în jurnal.',
    cancel: 'Renunță',
    done: (count: number) => `Făcut pentru ${many(count, 'livrare', 'livrări')}.`,
    notDone: (count: number) => `Neschimbate: ${many(count, 'livrare', 'livrări')}`,
  },
  pause: {
    title: 'Toate mesajele',
    resumeOne: 'Lasă să continue',
    resumeWhat:
      'Ce așteaptă începe să plece în câteva secunde, întâi ce e mai urgent, cât de repede primește furnizorul.',
    button: 'Oprește toate mesajele',
    what: 'În câteva secunde nu mai pleacă nimic nou. Ce e pe drum se termină, ce așteaptă se păstrează și nimic nu se pierde.',
    resume: 'Lasă mesajele să plece',
    paused: 'Toate mesajele sunt oprite',
  },
  firstMinute: {
    title: 'Primul minut',
    lead: 'Nimic nu este configurat, așa că toți cei de aici sunt exemple și niciun mesaj nu părăsește acest calculator. Locurile se eliberează singure la fiecare jumătate de minut; faceți ceva în plus:',
    inbox: 'Vedeți cum sosesc mesajele.',
    buttons: {
      seat: 'Eliberează un loc',
      newsletter: 'Trimite buletinul lunar',
      review: 'Publică o recenzie',
      kill: 'Oprește brutal procesul în timp ce trimite',
    },
    did: {
      seat: ({ indexNumber, title }) =>
        `Secțiunea ${indexNumber}, ${title}, are un loc liber. Următoarea citire îl vede, iar cine o urmărește află: în cel mult o jumătate de minut.`,
      newsletter: ({ periodKey, people }) =>
        `${many(people, 'cetățean află', 'cetățeni află')} cum i-a mers orașului lor în ${runsRo.periodName(periodKey)}.`,
      review: ({ changelistId, title, people }) =>
        `${many(people, 'recenzent află', 'recenzenți află')} despre ${changelistId}, ${title}.`,
    },
    killing: 'Un anunț pleacă spre 48 de oameni; procesul va fi oprit la mijloc …',
    killed: ({ killedPid, pid, onTheWire, heard, notLeft }) =>
      `Procesul ${killedPid} a fost oprit brutal (SIGKILL) cu ${many(onTheWire, 'mesaj', 'mesaje')} pe drum; ${heard} fuseseră acceptate înainte${notLeft > 0 ? `, iar ${notLeft} nu plecaseră încă` : ''}. ${pid === null ? 'Altul pornește acum.' : `Procesul ${pid} i-a luat locul.`}`,
    account: ({ people, told, underWay, notToBeTold, lost }) =>
      [
        `${people} cerute: ${told} acceptate`,
        ...(underWay > 0 ? [`${underWay} încă pe drum`] : []),
        ...(notToBeTold > 0 ? [`${notToBeTold} de neanunțat`] : []),
        ...(lost !== null ? [`${lost} pierdute`] : []),
      ].join(', '),
    twice: (twice, isOver) => `${twice} de două ori${isOver ? '' : ' până acum'}.`,
    open: (underWay, unheard) =>
      [
        ...(underWay > 0 ? [`cele ${underWay} de pe drum`] : []),
        ...(unheard > 0
          ? [`${unheard} dintre cele acceptate, al căror răspuns procesul oprit nu l-a mai auzit`]
          : []),
      ].join(' și '),
    waiting: (open, seconds) =>
      `Încă nelămurite: ${open}. Nimic nu se trimite pe ghicite: ${seconds > 0 ? `în ${seconds} s se încheie rezervarea procesului oprit și ce ținea el este cercetat.` : 'sunt cercetate acum.'}`,
    settled: 'Totul este lămurit: nimic nu e pe drum și nimic nu e în dubiu.',
  },
  suppressions: suppressionsRo,
  import: suppressionImportRo,
  templates: templatesRo,
  inbox: inboxRo,
  chaos: chaosRo,
  audit: {
    title: 'Jurnal',
    lead: 'Ce s-a schimbat, cine și de ce.',
    empty: 'Încă nu s-a schimbat nimic.',
    who: 'Cine',
    what: 'Ce',
    why: 'De ce',
    when: 'Când',
    answer: 'Răspuns',
    unanswered: 'fără răspuns',
  },
  sources: sourcesRo,
  seats: seatsRo,
  runs: runsRo,
  reviews: reviewsRo,
  broken: { title: 'Nu a putut fi arătat', again: 'Încearcă din nou' },
  loading: 'Se încarcă …',
  noSuch: {
    delivery: 'Nu există o astfel de livrare.',
    mail: 'Nu există un astfel de mesaj.',
    run: 'Nu există o astfel de rundă.',
    review: 'Nu există o astfel de recenzie.',
    section: 'Nu există o astfel de secțiune.',
  },
  noPage: { title: 'Nu există o astfel de pagină', home: 'Acasă' },
  readOnly: 'O cheie de citire privește și nu schimbă nimic.',
  ago: { now: 'acum', seconds: 's în urmă', minutes: 'min în urmă', hours: 'h în urmă', days: 'z în urmă' },
};
