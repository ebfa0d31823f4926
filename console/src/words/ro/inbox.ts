import type { chaosEn, inboxEn } from '../en/inbox.ts';
import { manyRo as many } from '../many.ts';

/** Romanian: the inbox and its switches. */
export const inboxRo: typeof inboxEn = {
  title: 'Cutie poștală',
  lead: 'Ce s-a trimis cât timp nu este configurat un furnizor adevărat. Nimic de aici nu a părăsit această mașină.',
  notHere:
    'Aici mesajele pleacă printr-un furnizor adevărat, deci nu există o cutie în care să vă uitați. Ce s-a ales de ele se vede la livrări.',
  deliveries: 'Livrări',
  to: 'Adresa începe cu',
  subject: 'Subiectul începe cu',
  mail: 'Mesaj',
  state: 'Livrarea lui',
  received: 'Primit',
  noSubject: '(fără subiect)',
  empty: 'Încă nu este niciun mesaj. Apare singur de îndată ce se trimite ceva.',
  emptyFiltered: 'Niciun mesaj nu începe așa. Scrieți mai puțin.',
  clear: 'Golește lista',
  clearWhat:
    'Lista începe goală, pentru toți. Niciun mesaj nu se șterge: o livrare în dubiu se caută în continuare după cheie, ce este de raportat se raportează, iar un mesaj rămâne la adresa lui.',
  story: (seq: number) => `Povestea livrării ${seq}`,
  links: (count: number) => `Legături (${count})`,
  noLinks: 'Mesajul nu are nicio legătură.',
  link: 'Legătură',
  verdict: 'Unde duce',
  where: 'Găsită în',
  places: { html: 'html', text: 'text', headers: 'antete' },
  verdicts: {
    works: 'o pagină a noastră; există, iar jetonul ei, dacă are, a fost dat cuiva',
    unknown_token: 'o pagină a noastră, cu un jeton pe care nu l-a primit nimeni',
    no_page: 'serverul nostru, care nu are o astfel de pagină',
    elsewhere: 'a altcuiva; nu este urmată',
    not_encrypted: 'a altcuiva, necriptată; nu este urmată',
    mailbox: 'o cutie poștală',
    unsafe: 'nici pagină, nici cutie poștală',
  },
  oneClick: 'Dezabonare cu un clic',
  oneClickWhat:
    'Cererea pe care o trimite un program de poștă (RFC 8058) merge la adresa din antet. Persoana nu mai primește mesaje de acest fel, nici pe cele care așteaptă deja; se poate reveni în 24 de ore.',
  oneClickDone: 'Făcut: serverul a răspuns 200.',
  oneClickRefused: (status: number) => `Serverul a răspuns ${status}.`,
  oneClickUndo: 'Deschide pagina din spatele legăturii',
  oneClickElsewhere: 'Adresa ei de dezabonare cu un clic nu este pe acest server și nu este întrebată.',
};

export const chaosRo: typeof chaosEn = {
  title: 'Lasă ceva să meargă prost',
  lead: 'Fiecare face ce fac și furnizorii adevărați, pentru un timp. Trimiteți ceva și priviți ce face motorul: nimeni nu primește un mesaj de două ori și niciunul nu se pierde din vedere.',
  production: 'TIDINGS_ENV este production: aici nimic nu merge prost intenționat.',
  forHowLong: 'Timp de',
  minutes: (count: number) => many(count, 'minut', 'minute'),
  on: 'Pornit',
  off: 'Oprit',
  onUntil: (does, until, by) => `${does} până la ${until} (${by}).`,
  switches: {
    refuse: {
      name: 'Refuză orice mesaj',
      does: 'Orice mesaj este refuzat',
      what: 'Fiecare ajunge pe loc la cele abandonate. De acolo poate fi trimis din nou.',
    },
    'time-out': {
      name: 'Nu lua mesajul și nu răspunde',
      does: 'Niciun mesaj nu este luat și nimic nu primește răspuns',
      what: 'După trei secunde livrarea este în dubiu, până când cutia a fost întrebată dacă are mesajul.',
    },
    'accept-then-drop': {
      name: 'Ia mesajul și pierde răspunsul',
      does: 'Mesajele sunt luate, iar răspunsurile se pierd',
      what: 'Livrarea este în dubiu. Mesajul se găsește apoi după cheie și nimic nu se trimite de două ori.',
    },
    throttle: {
      name: 'Cere răbdare (429)',
      does: 'Cutia cere răbdare (429)',
      what: 'Trimiterea așteaptă cinci secunde și continuă. Nicio încercare nu se numără.',
    },
    bounce: {
      name: 'Respinge orice mesaj după ce l-ai luat',
      does: 'Orice mesaj este respins după ce a fost luat',
      what: 'La o secundă după ce a fost luat se întoarce definitiv. Adresa este oprită până când cineva o eliberează.',
    },
    complain: {
      name: 'Lasă orice cititor să se plângă',
      does: 'Orice cititor se plânge',
      what: 'Mesajul ajunge, apoi este numit spam. Adresa este oprită până când cineva o eliberează.',
    },
    duplicate: {
      name: 'Raportează totul de două ori',
      does: 'Totul este raportat de două ori',
      what: 'Fiecare webhook vine a doua oară, ceea ce nu schimbă nimic.',
    },
    reorder: {
      name: 'Raportează în ordine greșită',
      does: 'Rapoartele vin în ordine greșită',
      what: 'Ce s-a întâmplat întâi se spune la urmă. Livrarea se încheie la fel.',
    },
    silence: {
      name: 'Nu raporta nimic',
      does: 'Nimic nu este raportat',
      what: 'Nu vine niciun webhook. Mesajele rămân trimise și nimeni nu spune că au ajuns.',
    },
  },
};
