/** The rooms under src/ and what each may import: design's arrows as data. `.oxlintrc.json` and docs/ARCHITECTURE.md follow from it. */
export const ARROWS = {
  core: [],
  config: ['core'],
  telemetry: ['core'],
  store: ['core'],
  resilience: ['core'],
  models: ['core'],
  net: ['core'],
  extract: ['core'],
  providers: ['core', 'models', 'net'],
  files: ['core', 'models', 'net', 'extract'],
  threads: ['core', 'models'],
  manager: ['core', 'models', 'resilience'],
  jobs: ['core', 'resilience'],
  calls: ['core', 'resilience'],
  hub: ['core', 'net', 'resilience'],
  tools: ['core', 'models'],
  agent: ['core'],
  servers: ['core', 'models', 'net', 'extract', 'files'],
  transport: ['core'],
  app: [
    'core',
    'config',
    'telemetry',
    'store',
    'resilience',
    'models',
    'net',
    'extract',
    'providers',
    'files',
    'threads',
    'manager',
    'jobs',
    'calls',
    'hub',
    'tools',
    'agent',
    'servers',
    'transport',
  ],
  cli: ['core', 'config', 'app'],
} as const satisfies Record<string, readonly string[]>;

export type Room = keyof typeof ARROWS;

/** Packages and built-ins that only the named rooms may import. */
export const OWNED: Record<string, readonly Room[]> = {
  undici: ['net'],
  'node:http': ['net', 'transport'],
  'node:https': ['net', 'transport'],
  ws: ['transport'],
  pg: ['store'],
  libsql: ['store'],
  '@opentelemetry/*': ['telemetry'],
};

export const ROOMS = Object.keys(ARROWS) as Room[];
