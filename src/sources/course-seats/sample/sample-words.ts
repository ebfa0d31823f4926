/** What the sample campus makes its courses from: words, people and places of its own, in the shapes of a real catalog. */

export interface SampleSubject {
  code: string;
  name: string;
  /** Seven each, because forms are twelve: the two run through each other without meeting twice. */
  topics: readonly string[];
}

export const sampleSubjects: readonly SampleSubject[] = (
  [
    [
      '198',
      'Computer Science',
      'Computer Science, Data Structures, Algorithms, Operating Systems, Computer Networks, Databases, Machine Learning',
    ],
    [
      '640',
      'Mathematics',
      'Calculus, Linear Algebra, Number Theory, Real Analysis, Geometry, Combinatorics, Differential Equations',
    ],
    [
      '510',
      'History',
      'World History, Ancient Rome, Modern Europe, Trade & Empire, Medieval Cities, Oral History, Science & Technology',
    ],
    ['080', 'Art', 'Drawing, Painting, Printmaking, Sculpture, Photography, Ceramics, Typography'],
    [
      '830',
      'Psychology',
      'Psychology, Memory, Perception, Child Development, Social Psychology, Language & Thought, Sleep & Dreams',
    ],
    [
      '119',
      'Biological Sciences',
      'Biology, Cell Biology, Genetics, Ecology, Physiology, Microbiology, Evolution',
    ],
    [
      '160',
      'Chemistry',
      'Chemistry, Organic Chemistry, Polymers, Spectroscopy, Catalysis, Biochemistry, Materials',
    ],
    [
      '750',
      'Physics',
      'Physics, Mechanics, Electricity & Magnetism, Optics, Thermodynamics, Quantum Physics, Astrophysics',
    ],
    [
      '220',
      'Economics',
      'Microeconomics, Macroeconomics, Game Theory, Labor Markets, Public Finance, Econometrics, Development',
    ],
    [
      '790',
      'Political Science',
      'Politics, Public Law, Elections, Diplomacy, Political Theory, Local Government, Human Rights',
    ],
    [
      '730',
      'Philosophy',
      'Philosophy, Logic, Ethics, Metaphysics, Aesthetics, Philosophy of Mind, Decision Theory',
    ],
    [
      '358',
      'English Literature',
      'Literature, Poetry, Drama, The Novel, Short Fiction, Travel Writing, Letters & Diaries',
    ],
    ['700', 'Music', 'Music Theory, Harmony, Choral Music, Jazz, Composition, Sound Recording, Ear Training'],
    [
      '960',
      'Statistics',
      'Statistics, Probability, Sampling, Regression, Time Series, Experimental Design, Data Science',
    ],
    [
      '940',
      'Spanish',
      'Spanish, Spanish Conversation, Translation, Caribbean Literature, Phonetics, Spanish Film, Grammar',
    ],
    [
      '450',
      'Geography',
      'Geography, Cartography, Climate, Rivers & Coasts, Urban Geography, Soils, Remote Sensing',
    ],
    [
      '332',
      'Electrical Engineering',
      'Circuits, Digital Logic, Signals, Control Systems, Antennas, Power Systems, Robotics',
    ],
    [
      '650',
      'Mechanical Engineering',
      'Statics, Dynamics, Heat Transfer, Fluid Flow, Machine Design, Vibration, Manufacturing',
    ],
    [
      '705',
      'Nursing',
      'Nursing, Pharmacology, Community Health, Patient Care, Nutrition, Health Records, Clinical Practice',
    ],
    [
      '010',
      'Accounting',
      'Accounting, Auditing, Taxation, Cost Accounting, Business Law, Budgets, Forensic Accounting',
    ],
  ] as const
).map(([code, name, topics]) => ({ code, name, topics: topics.split(', ') }));

/** How a topic becomes a course: what it is called in full, and in the few letters of a printed schedule. */
export const sampleForms: readonly { full: string; brief: string }[] = [
  { full: 'Introduction to {}', brief: 'INTRO {}' },
  { full: 'Principles of {}', brief: 'PRIN {}' },
  { full: '{} I', brief: '{} I' },
  { full: '{} II', brief: '{} II' },
  { full: 'Applied {}', brief: 'APPLIED {}' },
  { full: '{} and Society', brief: '{} & SOC' },
  { full: 'Workshop in {}', brief: 'WKSHP {}' },
  { full: 'Intermediate {}', brief: 'INTERM {}' },
  { full: 'Topics in {}', brief: 'TOPICS {}' },
  { full: 'Advanced {}', brief: 'ADV {}' },
  { full: 'Seminar in {}', brief: 'SEM {}' },
  { full: 'Research in {}', brief: 'RES {}' },
];

/** Capitals, as catalogs print them; with what breaks programs: apostrophes, hyphens, accents. */
export const sampleInstructors: readonly string[] = [
  "ABARA, CHIOMA; BERGSTRÖM, IDA; D'AMICO, LUCA; DELACROIX, JEANNE; ERDEM, SELIN; FARROW, HELEN; GARCÍA-VEGA, MARTA",
  'HOLLIS, JAMES; IONESCU, RADU; JANSEN, PIETER; KOWALSKI, EWA; LINDQVIST, OLLE; MBEKI, THANDI; NAKAMURA, YUKI',
  "O'DOHERTY, SEAN; PATEL, ANJALI; QUIST, DANA; ROSSI, PAOLA; SHAPIRO, ELI; TRAN, MINH; UDDIN, FARHAN; VARGA, ZSÓFIA",
].flatMap((names) => names.split('; '));

/** Part of a campus where classes meet. */
export interface SamplePlace {
  location: string;
  abbreviation: string;
  name: string;
  buildings: readonly string[];
}

const newBrunswick: readonly SamplePlace[] = [
  { location: '1', abbreviation: 'CAC', name: 'COLLEGE AVENUE', buildings: ['SC', 'MU', 'FRE', 'HH'] },
  { location: '2', abbreviation: 'BUS', name: 'BUSCH', buildings: ['HLL', 'ARC', 'SEC', 'PHY'] },
  { location: '3', abbreviation: 'LIV', name: 'LIVINGSTON', buildings: ['TIL', 'LSH', 'BE'] },
  { location: '4', abbreviation: 'C/D', name: 'COOK/DOUGLASS', buildings: ['HCK', 'RAB', 'BLK'] },
];

/** Where a campus's classes meet, and in the name of which schools: the last of them is the graduate one. */
export const sampleCampuses: Readonly<
  Record<string, { places: readonly SamplePlace[]; units: readonly string[]; weight: number }>
> = {
  // Weights as the shares of a real term of 16,000 sections.
  NB: { places: newBrunswick, units: ['01', '04', '10', '11', '14', '33', '16'], weight: 11_680 },
  NK: {
    places: [{ location: '5', abbreviation: 'NWK', name: 'NEWARK', buildings: ['CON', 'HIL', 'ENG'] }],
    units: ['21', '29', '62', '26'],
    weight: 2_900,
  },
  CM: {
    places: [{ location: '6', abbreviation: 'CAM', name: 'CAMDEN', buildings: ['ARM', 'BSB', 'FA'] }],
    units: ['50', '52', '57', '56'],
    weight: 1_420,
  },
  ONLINE_NB: { places: [], units: ['01', '04', '10', '16'], weight: 600 },
  ONLINE_NK: { places: [], units: ['21', '62', '26'], weight: 200 },
  ONLINE_CM: { places: [], units: ['50', '57', '56'], weight: 150 },
};

/** What keeps a seat from being taken by whoever comes first. */
export const samplePermissions: readonly { code: string; description: string }[] = [
  { code: '04', description: 'Instructor' },
  { code: '04', description: 'Instructor' },
  { code: '03', description: 'Department staff' },
  { code: '02', description: 'Dean' },
];

export const sampleEligibilities: readonly string[] = [
  'JUNIORS AND SENIORS',
  'SENIORS',
  'FIRST-YEAR STUDENTS ONLY',
  'GRADUATE STUDENTS ONLY',
];
