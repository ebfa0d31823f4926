// The pages of which pictures are taken: the name of the picture, and where the page is, which may have to be asked for.
// What is locked asks for a key; what is of students is beside the console.
export const pages = {
  home: '',
  deliveries: '/deliveries',
  delivery: async (api) =>
    `/deliveries/${(await api('/deliveries?source=course-seats&limit=1')).deliveries[0]?.seq ?? 1}`,
  'dead-letters': '/dead-letters',
  'needs-review': '/needs-review',
  seats: '/seats',
  openings: '/seats/openings',
  section: async (api) => `/seats/${await section(api)}`,
  runs: '/runs',
  'run-new': '/runs/new',
  run: async (api) => `/runs/${await runIn(api, ({ status }) => status !== 'planned')}`,
  plan: async (api) => `/runs/${await runIn(api, ({ status }) => status === 'planned')}`,
  reviews: '/reviews',
  review: async (api) => `/reviews/${(await api('/reviews/jobs?limit=1')).jobs[0]?.job_id}`,
  'review-dead-letters': '/reviews/dead-letters',
  suppressions: '/suppressions',
  'suppression-import': '/suppressions/import',
  templates: '/templates',
  'template-text': '/templates?template=newsletter-entity&language=ro&view=text',
  inbox: '/inbox',
  'inbox-mail': async (api) => `/inbox/${(await api('/inbox?limit=1')).mails[0]?.messageId}`,
  audit: '/audit',
  'sign-in': { path: '', isLocked: true },
  'students-search': { path: '/seats?q=calculus', isOfStudents: true },
  'students-section': { path: async (api) => `/seats/${await section(api)}`, isOfStudents: true },
  'students-manage': { path: (api) => linkIn(api, 'manage'), isOfStudents: true },
  'students-unsubscribe': { path: (api) => linkIn(api, 'unsubscribe'), isOfStudents: true },
};

async function section(api) {
  const [{ term, index } = {}] = (await api('/seats/overview/events?limit=1')).events;
  return `${term}/${index}`;
}

async function runIn(api, isWanted) {
  const { runs } = await api('/notifications/runs?limit=20');
  return runs.find(isWanted)?.runId;
}

/** Where a link of this kind leads in the newest mail that has one. */
async function linkIn(api, kind) {
  for (const { messageId } of (await api('/inbox?limit=50')).mails) {
    const { text } = await api(`/inbox/${messageId}`);
    const [link] = new RegExp(`https?://\\S*/${kind}/[\\w-]{44}`).exec(text) ?? [];
    if (link) return new URL(link).pathname;
  }
  throw new Error(`No mail has a link of the kind ${kind}.`);
}
