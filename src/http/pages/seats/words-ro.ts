import { campusNames } from '../../../emails/templates/campus-names.ts';
import type { SeatsWords } from './words.ts';

const seasons = { winter: 'Iarna', spring: 'Primăvara', summer: 'Vara', fall: 'Toamna' } as const;
const plurals = new Intl.PluralRules('ro');

/** 1 secțiune, 2 secțiuni, 20 de secțiuni. */
function counted(count: number, one: string, many: string): string {
  const kind = plurals.select(count);
  return kind === 'one' ? `${count} ${one}` : `${count} ${kind === 'few' ? '' : 'de '}${many}`;
}

export const romanian: SeatsWords = {
  name: 'Locuri la cursuri',
  toSearch: 'Căutați altă secțiune',
  sample: 'Acesta este un campus de probă: cursurile și locurile lui sunt inventate.',
  sampleMoving: 'Aceste secțiuni se deschid și se închid la câteva minute:',
  sampleStands: (link, status) => `${link} (${status.toLowerCase()})`,
  builtInInbox: {
    text: 'Aici nu este configurat un serviciu de e-mail: mesajele sunt în căsuța poștală încorporată.',
    link: 'Deschide căsuța poștală',
  },
  colon: ': ',
  sectionStatus: {
    Open: 'Deschisă',
    Closed: 'Închisă',
    Wait: 'Listă de așteptare',
    Unknown: 'Necunoscut',
  },
  watchStatus: {
    pending: 'Așteaptă confirmarea dumneavoastră',
    active: 'Urmărită',
    snoozed: 'Amânată',
    paused: 'În pauză',
    suppressed: 'Oprită: mesajele nu ajung',
    unsubscribed: 'Încheiată',
  },
  campuses: campusNames.ro,
  term: ({ season, year }) => `${seasons[season]} ${year}`,
  ago(ms) {
    const seconds = Math.max(0, Math.round(ms / 1000));
    if (seconds < 120) return `acum ${seconds} s`;
    const minutes = Math.round(seconds / 60);
    if (minutes < 120) return `acum ${minutes} min`;
    const hours = Math.round(minutes / 60);
    return hours < 48
      ? `acum ${counted(hours, 'oră', 'ore')}`
      : `acum ${counted(Math.round(hours / 24), 'zi', 'zile')}`;
  },
  freshness: {
    checked: (ago) => `Verificat ${ago}.`,
    held: (ago) =>
      `Lista universității este incompletă acum. Ce vedeți aici este de ${ago}; deschiderile se observă în continuare.`,
    stale: (ago) =>
      `Verificat ultima dată ${ago}. Este mai mult decât de obicei, iar starea se poate să se fi schimbat.`,
    asleep:
      'Din catalog. Se verifică la fiecare 15 secunde de îndată ce cineva urmărește o secțiune de aici.',
  },
  hours: {
    hint: (zone) =>
      `Orele campusului (${zone}). Ce se deschide în afara lor vă spunem după aceea, dacă mai este deschis.`,
    from: 'De la',
    to: 'Până la',
  },
  section: {
    name: (number) => `Secțiunea ${number}`,
    index: 'Index',
    meets: 'Program',
    noTimes: 'Programul va fi anunțat',
    instructors: 'Predă',
    permission: 'Necesită permisiune specială',
    restrictions: 'Doar pentru',
    twins: 'Apare și ca',
    notes: 'Notă',
    gone: 'Această secțiune nu mai este în catalog.',
    over: 'Acest semestru s-a încheiat.',
  },
  search: {
    title: 'Găsiți o secțiune de urmărit',
    lead: 'Când se eliberează un loc primiți un mesaj, de obicei în jumătate de minut.',
    label: 'Curs sau index',
    hint: 'Un cod precum 01:198:111 sau 198:111, un index din cinci cifre sau cuvinte din titlu.',
    term: 'Semestru',
    allTerms: 'Toate semestrele',
    campus: 'Campus',
    allCampuses: 'Toate campusurile',
    button: 'Căutați',
    watch: 'Urmăriți',
    watchNamed: (number, index) => `Urmăriți secțiunea ${number}, index ${index}`,
    found: (courses) => counted(courses, 'curs găsit', 'cursuri găsite'),
    more: 'Pot fi mai multe. Adăugați un cuvânt sau alegeți un semestru și un campus.',
    sections: (count, open) =>
      `${counted(count, 'secțiune', 'secțiuni')}, ${counted(open, 'deschisă', 'deschise')}`,
    closedSections: (count) => `${counted(count, 'secțiune', 'secțiuni')} fără loc liber`,
    onlyClosed: 'Doar secțiuni fără loc liber',
    noneClosed: {
      title: 'Tot ce s-a găsit este deschis',
      text: 'În fiecare dintre aceste secțiuni este un loc liber, deci nu este nimic de așteptat. Căutați fără această opțiune ca să le vedeți.',
    },
    none: {
      title: 'Nu s-a găsit nimic',
      text: 'Niciun curs nu are acest cod, index sau titlu. Încercați cu mai puține cuvinte, alt semestru sau alt campus.',
    },
    empty: {
      title: 'Încă nu există un catalog',
      text: 'Catalogul universității este în curs de citire. Vă rugăm să reveniți peste câteva minute.',
    },
    failing: {
      title: 'Încă nu există un catalog',
      text: 'Catalogul universității nu poate fi citit acum. Încercăm în continuare; vă rugăm să reveniți mai târziu.',
    },
  },
  watch: {
    openNow: {
      title: 'Este deschisă chiar acum',
      text: 'Vă puteți înscrie imediat.',
      before: 'Dacă o și urmăriți, primiți un mesaj când se redeschide după ce s-a închis.',
      watching: 'Primiți un mesaj când se redeschide după ce s-a închis.',
    },
    register: 'Mergeți la înscriere',
    heading: 'Urmăriți această secțiune',
    lead: 'Vă scriem o dată de fiecare dată când se deschide. Mai întâi primiți un mesaj prin care confirmați că adresa este a dumneavoastră.',
    email: 'Adresa dumneavoastră de e-mail',
    emailHint:
      'Folosită doar pentru aceste mesaje și ștearsă la un timp după ce opriți, odată cu evidența mesajelor trimise.',
    hoursHeading: 'Vreau mesaje doar la anumite ore',
    hoursEmpty: 'Dacă lăsați gol, mesajele vin la orice oră.',
    button: 'Urmăriți această secțiune',
    badEmail: 'Aceasta nu este o adresă de e-mail completă. Exemplu: nume@example.org.',
    badHours: 'Completați ambele ore sau niciuna.',
  },
  asked: {
    title: 'Aproape gata: verificați-vă e-mailul',
    press:
      'Deschideți linkul din mesajul pe care vi l-am trimis, apăsați „Da, o urmăresc” și urmărirea începe.',
    several: 'Ați cerut mai multe secțiuni? Un singur mesaj confirmă tot ce ați cerut.',
    already: 'Cine urmărește deja această secțiune primește în schimb linkul urmăririi sale.',
    nothing: 'Nu vine nimic în câteva minute? Căutați printre mesajele nedorite.',
    stoppedAll:
      'Dacă ați oprit cândva toate mesajele noastre, respectăm asta: deschideți linkul urmăririi dintr-un mesaj mai vechi și apăsați „Trimiteți-mi din nou mesaje”.',
    unverified: {
      title: 'Urmăriți secțiunea',
      text: 'Vă scriem când se deschide. Mesajul are un link pentru pauză sau oprire.',
    },
    again: 'Adresă greșită? Introduceți-o din nou',
  },
  confirm: {
    title: 'Urmăriți această secțiune?',
    text: 'Apăsați butonul și vă scriem când se deschide. Până atunci nu se întâmplă nimic.',
    several: {
      title: 'Urmăriți aceste secțiuni?',
      text: 'Au fost cerute cu adresa dumneavoastră. Apăsați butonul și vă scriem când se deschide una dintre ele; pe pagina următoare o puteți opri pe fiecare. Până atunci nu se întâmplă nimic.',
    },
    button: 'Da, le urmăresc',
  },
  manage: {
    title: 'Urmărirea dumneavoastră',
    done: {
      confirm: 'Confirmat. Urmăriți această secțiune.',
      pause: 'În pauză. Nu vine niciun mesaj până când reluați.',
      resume: 'Reluat. Urmăriți din nou.',
      snooze: 'Amânat.',
      wake: 'Nu mai este amânat.',
      hours: 'Orele sunt salvate.',
      always: 'Mesajele vin acum la orice oră.',
      most: 'Salvat.',
      stop: 'Oprit. Nu mai vin mesaje despre această secțiune.',
      undo: 'Anulat. Urmăriți din nou.',
      again:
        'Primiți din nou mesaje. Dacă o urmărire așteaptă confirmarea dumneavoastră, un mesaj cu butonul este pe drum.',
    },
    undoneTo: {
      pending: 'Anulat. Așteaptă în continuare confirmarea dumneavoastră.',
      other: 'Anulat. Este din nou ca înainte.',
    },
    refused: 'Acest lucru nu mai este posibil. Pagina arată starea de acum.',
    badSnooze: 'Nu s-a schimbat nimic: alegeți o zi începând de mâine, în cel mult un an.',
    badHours: 'Nu s-a schimbat nimic: completați ambele ore, sau niciuna pentru orice oră.',
    badMost: 'Nu s-a schimbat nimic: dați un număr întreg de la 1 la 1000, sau nimic pentru fără limită.',
    asked: 'V-am trimis un mesaj. Apăsați butonul din el și urmăriți din nou.',
    askedTooOften:
      'Astăzi v-am întrebat de mai multe ori. Apăsați butonul dintr-unul dintre acele mesaje sau încercați mâine din nou.',
    stillStopped:
      'Mesajele către adresa dumneavoastră sunt încă oprite aici. Cereți-i celui care administrează acest serviciu să verifice.',
    steps: {
      confirm: 'Da, o urmăresc',
      pause: 'Pauză',
      resume: 'Reluați',
      snooze: 'Amânați până atunci',
      wake: 'Încheiați amânarea',
      hours: 'Salvați orele',
      always: 'Orice oră',
      most: 'Salvați',
      stop: 'Opriți urmărirea',
      undo: 'Anulați oprirea',
      again: 'Trimiteți-mi din nou mesaje',
    },
    stepFor: (step, section) => `${step}: ${section}`,
    pending: 'Începe când confirmați că adresa este a dumneavoastră.',
    suppressed:
      'Mesajele către adresa dumneavoastră s-au întors sau au fost marcate ca nedorite, așa că nu se trimite nimic. După ce se rezolvă, puteți relua, iar noi vă întrebăm printr-un mesaj.',
    stoppedAll:
      'Ați oprit toate mesajele noastre, așa că nu vi se trimite nimic, nici despre aceasta, nici despre altceva.',
    againFirst:
      'Și această urmărire s-a încheiat. Apăsați mai întâi „Trimiteți-mi din nou mesaje”; apoi puteți anula oprirea timp de o zi sau puteți urmări secțiunea din nou.',
    ended: 'Această urmărire s-a încheiat. Puteți urmări secțiunea din nou.',
    undoUntil: (when) => `Ați apăsat din greșeală? Puteți reveni până la ${when}.`,
    pausedByLimit: 'Este în pauză pentru că ați primit atâtea mesaje câte ați dorit. Reluați ca să continue.',
    snooze: {
      heading: 'Amânare',
      hint: 'Urmărirea rămâne, dar mesajele ei se opresc pentru un timp.',
      until: (when) => `Niciun mesaj înainte de ${when}.`,
      tomorrow: 'Până mâine',
      nextWeek: 'Până săptămâna viitoare',
      date: 'Până în această zi',
    },
    hours: {
      heading: 'Ore',
      now: (from, to) => `Mesajele vin de la ${from} până la ${to}.`,
      always: 'Mesajele vin la orice oră.',
    },
    most: {
      heading: 'Câte mesaje',
      hint: 'După atâtea, urmărirea intră singură în pauză.',
      label: 'Cel mult (gol pentru fără limită)',
      sent: (count, most) =>
        most === null
          ? `${counted(count, 'mesaj', 'mesaje')} până acum.`
          : `${count} din ${counted(most, 'mesaj', 'mesaje')} până acum.`,
      none: 'Fără limită.',
    },
    siblings: 'Ce mai urmăriți',
  },
  notices: {
    noSection: {
      title: 'Nu există o astfel de secțiune',
      text: 'Verificați indexul și semestrul sau căutați cursul.',
    },
    noLink: {
      title: 'Acest link nu duce la nicio urmărire',
      text: 'Poate a fost tăiat sau urmărirea s-a încheiat demult. Folosiți linkul din cel mai nou mesaj sau urmăriți secțiunea din nou.',
    },
    tooMany: {
      title: 'Prea multe cereri',
      text: 'Vă rugăm să așteptați un minut, apoi încercați din nou.',
    },
    foreign: {
      title: 'Aceasta a venit de pe alt site',
      text: 'Nu s-a făcut nimic. Deschideți secțiunea aici și completați formularul dumneavoastră.',
    },
    failed: {
      title: 'Nu am reușit',
      text: 'Problema este la noi, nu la dumneavoastră. Vă rugăm să încercați din nou peste un minut.',
    },
    sectionFull: {
      title: 'Prea mulți urmăresc această secțiune',
      text: 'Acum nu se mai poate adăuga nimeni. Încercați mai târziu sau urmăriți altă secțiune a cursului.',
    },
    limited: {
      title: 'Deocamdată nu se poate mai mult',
      text: 'S-a cerut prea mult din această rețea. Vă rugăm să încercați mai târziu.',
    },
  },
};
