import { manyEn as many } from '../many.ts';

/** English: the inbox and its switches. */
export const inboxEn = {
  title: 'Inbox',
  lead: 'What was sent while no real provider is configured. Nothing here has left this machine.',
  notHere:
    'Mail leaves through a real provider here, so there is no inbox to look into. What became of it is with the deliveries.',
  deliveries: 'Deliveries',
  to: 'The address begins with',
  subject: 'The subject begins with',
  mail: 'Mail',
  state: 'Its delivery',
  received: 'Received',
  noSubject: '(no subject)',
  empty: 'No mail is here yet. It appears by itself as soon as something is sent.',
  emptyFiltered: 'No mail begins so. Type less of it.',
  clear: 'Clear the list',
  clearWhat:
    'The list begins empty, for everybody. No mail is deleted: a delivery in doubt is still looked up by its key, what is to be reported is reported, and a mail stays where its address leads.',
  story: (seq: number) => `The story of delivery ${seq}`,
  links: (count: number) => `Links (${count})`,
  noLinks: 'There is no link in this mail.',
  link: 'Link',
  verdict: 'Where it leads',
  where: 'Found in',
  places: { html: 'html', text: 'text', headers: 'headers' },
  verdicts: {
    works: 'our own page; it is there, and its token was given out if it has one',
    unknown_token: 'our own page, with a token that nobody was given',
    no_page: 'our own server, which has no such page',
    elsewhere: 'somebody else’s; not followed',
    not_encrypted: 'somebody else’s, not encrypted; not followed',
    mailbox: 'a mailbox',
    unsafe: 'neither a page nor a mailbox',
  },
  oneClick: 'Unsubscribe with one click',
  oneClickWhat:
    'The request that a mail program sends (RFC 8058) goes to the address in the header. This person gets no more mails of this kind, also none that wait already; it can be taken back for 24 hours.',
  oneClickDone: 'Done: the server answered 200.',
  oneClickRefused: (status: number) => `The server answered ${status}.`,
  oneClickUndo: 'Open the page behind the link',
  oneClickElsewhere: 'Its one-click address is not on this server, and is not asked.',
};

export const chaosEn = {
  title: 'Let something go wrong',
  lead: 'Each does what real providers do, for a time. Send something, and watch what the engine makes of it: nobody gets a mail twice, and none is lost from sight.',
  production: 'TIDINGS_ENV is production: nothing goes wrong on purpose here.',
  forHowLong: 'For',
  minutes: (count: number) => many(count, 'minute', 'minutes'),
  on: 'On',
  off: 'Off',
  onUntil: (does: string, until: string, by: string) => `${does} until ${until} (${by}).`,
  /** What to do, what it is while it is on, and what follows for a delivery. */
  switches: {
    refuse: {
      name: 'Refuse every mail',
      does: 'Every mail is refused',
      what: 'Each becomes a dead letter at once. From there it can be sent again.',
    },
    'time-out': {
      name: 'Take no mail and answer nothing',
      does: 'No mail is taken, and nothing is answered',
      what: 'After three seconds the delivery is in doubt, until the inbox has been asked whether it has the mail.',
    },
    'accept-then-drop': {
      name: 'Take the mail and lose the answer',
      does: 'Mails are taken, and the answers are lost',
      what: 'The delivery is in doubt. The mail is then found by its key, and none is sent twice.',
    },
    throttle: {
      name: 'Ask for patience (429)',
      does: 'The inbox asks for patience (429)',
      what: 'Sending waits for five seconds and goes on. No attempt is counted.',
    },
    bounce: {
      name: 'Let every mail bounce',
      does: 'Every mail bounces',
      what: 'A second after it was taken it comes back for good. The address is suppressed until somebody lifts that.',
    },
    complain: {
      name: 'Let every reader complain',
      does: 'Every reader complains',
      what: 'The mail is delivered, and then called spam. The address is suppressed until somebody lifts that.',
    },
    duplicate: {
      name: 'Report everything twice',
      does: 'Everything is reported twice',
      what: 'Every webhook comes a second time, which changes nothing.',
    },
    reorder: {
      name: 'Report in the wrong order',
      does: 'Reports come in the wrong order',
      what: 'What happened first is told last. The delivery ends the same.',
    },
    silence: {
      name: 'Report nothing',
      does: 'Nothing is reported',
      what: 'No webhook comes. Mails stay sent, and nobody says that they were delivered.',
    },
  },
};
