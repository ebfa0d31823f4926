import type { Status } from '../../../../src/domain/status.ts';

/** Romanian: what each status means. */
export const statusMeaningsRo: Readonly<Record<Status, string>> = {
  pending: 'așteaptă să fie trimisă',
  claimed: 'ținută de un proces; încă nimic pe drum',
  sending: 'se predă furnizorului',
  sent: 'acceptată de furnizor',
  delivered: 'a ajuns la serverul de poștă al destinatarului',
  failed_transient: 'se știe că nu a ajuns; se încearcă din nou la termen',
  reconciling: 'poate există un mesaj; se lămurește',
  needs_review: 'nimeni nu poate ști; decide un operator',
  failed_permanent: 'abandonată definitiv',
  suppressed: 'adresa nu trebuie folosită',
  skipped_unsubscribed: 'destinatarul se dezabonase',
  skipped_no_email: 'destinatarul nu are adresă',
  skipped_ineligible: 'sursa a spus: nu aceasta',
  expired: 'prea târziu ca să mai folosească',
};
