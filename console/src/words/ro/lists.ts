import type { suppressionImportEn, suppressionsEn, templatesEn } from '../en/lists.ts';
import { manyRo as many } from '../many.ts';

/** Romanian: suppressions and templates. */
export const suppressionsRo: typeof suppressionsEn = {
  title: 'Adrese oprite',
  lead: 'Adrese la care nu se scrie. Cele care resping definitiv, reclamă sau opresc toate mesajele ajung aici singure.',
  search: 'Căutare după adresă sau după începutul ei',
  reason: 'Motiv',
  scope: 'Mesaje de la',
  everything: 'tot',
  withLifted: 'Și cele ridicate',
  address: 'Adresă',
  by: 'De către',
  when: 'De când',
  does: 'Acțiune',
  reasons: {
    bounced_for_good: 'un mesaj a fost respins definitiv',
    complained: 'raportat ca spam',
    provider_suppressed: 'furnizorul nu îi scrie',
    mailbox_unknown: 'nu există o astfel de cutie',
    operator: 'a spus-o un operator',
    imported: 'a venit cu o listă',
    unsubscribed: 'a oprit toate mesajele',
  },
  except: (sources: string) => `dar vrea din nou mesaje de la ${sources}`,
  lifted: (by: string, because: string) => `ridicată de ${by}: ${because}`,
  delivery: (seq: number) => `livrarea ${seq}`,
  empty: 'Nicio adresă nu este oprită. Adăugați una sau aduceți lista de unde ați trimis până acum.',
  emptyFiltered: 'Niciun rând nu se potrivește. Scoateți un filtru sau căutați mai puțin din adresă.',
  emptyExact: 'Această adresă nu este pe listă.',
  beginning: 'Adrese care încep așa',
  more: 'Mai multe',
  first: 'De la început',
  add: 'Adaugă o adresă',
  addWhat: 'Nu i se mai scrie nimic, iar ce o așteaptă este oprit.',
  addButton: 'Nu-i mai scrie',
  added: (address: string, stopped: number) =>
    `${address} este acum pe listă. ${stopped === 0 ? 'Nimic nu o aștepta.' : `Oprite: ${many(stopped, 'livrare', 'livrări')} care așteptau.`}`,
  alreadyListed: (address: string) => `${address} era deja pe listă; rândul ei a rămas cum era.`,
  lift: 'Ridică',
  liftOf: (address: string) => `Ridică ${address}`,
  liftTitle: (address: string) => `Scrie din nou la ${address}`,
  liftWhat:
    'Ce se cere de acum înainte poate fi trimis. Ce a fost oprit rămâne oprit până când este trimis din nou din livrarea sa. Se păstrează că rândul a fost aici.',
  liftOwnWhat:
    'A oprit singură toate mesajele: ridicați rândul numai dacă o cere. Ce se cere de acum înainte se trimite; ce a fost oprit rămâne oprit.',
  liftButton: 'Scrie-i din nou',
  liftDone: (address: string) => `Rândul adresei ${address} este ridicat.`,
  stillListed: (scopes: string) => `Este în continuare pe listă, pentru: ${scopes}.`,
  export: 'Descarcă lista',
  import: 'Importă o listă',
};

export const suppressionImportRo: typeof suppressionImportEn = {
  title: 'Importul unei liste de adrese oprite',
  lead: 'Un fișier de pe disc: CSV cu sau fără antet, câte o adresă pe rând, sau JSON. Mai întâi vedeți ce ar urma.',
  columns: 'Coloanele sunt address (sau email), scope, reason și note; în afară de prima, toate pot lipsi.',
  file: 'Fișier',
  tooLarge: (size: string) =>
    `Fișierul are ${size}, iar aici încap cel mult 4 MB. Importați-l pe server: npx tidings suppressions import <fișier>`,
  wouldTitle: 'Ce ar urma',
  didTitle: 'Ce a urmat',
  read: (count: number) => `${many(count, 'rând citit', 'rânduri citite')}`,
  wouldAdd: (count: number) => `${many(count, 'adresă ar fi nouă', 'adrese ar fi noi')} pe listă`,
  didAdd: (count: number) => `${many(count, 'adresă este nouă', 'adrese sunt noi')} pe listă`,
  already: (count: number) => `${many(count, 'rând', 'rânduri')} deja pe listă sau scrise de două ori`,
  lifted: (count: number) => `${many(count, 'rând sărit', 'rânduri sărite')}: ridicate acolo de unde vin`,
  wouldStop: (count: number) =>
    `${many(count, 'livrare care așteaptă ar fi oprită', 'livrări care așteaptă ar fi oprite')}`,
  didStop: (count: number) =>
    `${many(count, 'livrare care aștepta este oprită', 'livrări care așteptau sunt oprite')}`,
  bad: (count: number) => `${many(count, 'rând', 'rânduri')} care nu se pot citi și ar fi lăsate deoparte`,
  ignored: (names: string) => `Coloane care nu se citesc: ${names}`,
  badTitle: 'Rânduri care nu se pot citi',
  badMore: (count: number) => `Și încă ${count.toLocaleString('ro')}.`,
  place: (line: number, entry: number | undefined) =>
    entry === undefined ? String(line) : `${line}, intrarea ${entry}`,
  line: 'Rând',
  problem: 'Problemă',
  nothing: 'Nimic din el nu este nou: nu este nimic de importat.',
  button: (count: number) => `Adaugă ${many(count, 'adresă', 'adrese')}`,
  what: (added: number, stopped: number) =>
    `La ${many(added, 'adresă', 'adrese')} nu se mai scrie nimic și ${many(stopped, 'livrare care așteaptă este oprită', 'livrări care așteaptă sunt oprite')}. Fiecare rând poate fi ridicat apoi, unul câte unul.`,
  back: 'La listă',
};

export const templatesRo: typeof templatesEn = {
  title: 'Șabloane',
  lead: 'Fiecare mesaj așa cum îl văd cititorii. Schimbați valorile și priviți; nimic nu se trimite și nu se păstrează.',
  template: 'Șablon',
  language: 'Limba',
  sample: 'Exemplu',
  values: 'Valori, ca JSON',
  reset: 'Înapoi la exemplu',
  phone: 'Telefon',
  desktop: 'Ecran mare',
  text: 'Text',
  view: 'Cum se privește',
  subject: 'Subiect',
  size: (html: string, text: string) => `${html} de html, ${text} de text`,
  noSuch: 'Nu există un astfel de șablon, limbă sau exemplu. Alegeți mai sus.',
  badJson: (line: number, column: number) =>
    `Acesta nu este JSON: se rupe la rândul ${line}, coloana ${column}. Verificați ghilimelele, virgulele și parantezele.`,
  noObject: 'Acesta nu este un obiect JSON. Scrieți valorile ca { "nume": "valoare" }.',
  stale: 'Se vede mesajul dinaintea ultimei schimbări.',
  fine: 'Valorile sunt bune.',
};
