/** The rooms under src/ and what each may import: design's arrows as data. `.oxlintrc.json` and docs/ARCHITECTURE.md follow from it. */
export const ARROWS = {
  core: [],
  config: ['core'],
  telemetry: ['core'],
  store: ['core'],
  resilience: ['core'],
  models: ['core'],
  net: ['core'],
  programs: ['core'],
  mcp: ['core'],
  extract: ['core'],
  providers: ['core', 'models', 'net'],
  // `programs`: git runs as a child process.
  files: ['core', 'models', 'net', 'extract', 'programs'],
  threads: ['core', 'models'],
  manager: ['core', 'models', 'resilience'],
  jobs: ['core', 'resilience'],
  calls: ['core', 'resilience'],
  hub: ['core', 'mcp', 'net', 'programs', 'resilience'],
  tools: ['core', 'models'],
  agent: ['core'],
  servers: ['core', 'models', 'net', 'extract', 'files', 'programs'],
  transport: ['core', 'mcp'],
  // `config`: the shim resolves and checks EXAI_HOME itself, before anything else is loaded.
  // `telemetry`: the shim's log has the line format and the redaction of the daemon's log.
  client: ['core', 'config', 'telemetry', 'mcp'],
  app: [
    'core',
    'config',
    'telemetry',
    'store',
    'resilience',
    'models',
    'net',
    'programs',
    'mcp',
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
    'client',
  ],
  cli: ['core', 'config', 'client', 'app'],
} as const satisfies Record<string, readonly string[]>;

export type Room = keyof typeof ARROWS;

/** Rooms that cannot touch the world: no built-in of Node at all. */
export const PURE: readonly Room[] = ['core', 'mcp'];

/**
 * Packages and built-ins that only the named rooms may import, each with what lies under it (`node:fs/promises`).
 * A room that comes to need one is added here, in the open.
 */
export const OWNED: Record<string, readonly Room[]> = {
  undici: ['net'],
  'ipaddr.js': ['net'],
  ignore: ['files'],
  // A table of 60 MB that takes a fifth of a second to load: for tests alone.
  'gpt-tokenizer': [],
  ws: ['transport', 'client', 'hub'],
  'node:http': ['net', 'transport'],
  'node:https': ['net', 'transport'],
  'node:http2': ['net', 'transport'],
  'node:net': ['net', 'transport', 'client', 'app'],
  'node:tls': ['net', 'transport'],
  'node:dns': ['net'],
  'node:dgram': ['net'],
  'node:fs': ['config', 'telemetry', 'store', 'programs', 'files', 'client', 'app', 'cli'],
  'node:os': ['config', 'app'],
  'node:tty': ['cli'],
  'node:child_process': ['programs', 'client', 'app'],
  'node:cluster': [],
  'node:worker_threads': ['store', 'telemetry'],
  'node:perf_hooks': ['app'],
  pg: ['store'],
  libsql: ['store'],
  '@modelcontextprotocol/*': ['transport'],
  '@opentelemetry/*': ['telemetry'],
  // Elsewhere only in files named *.schema.ts, so that what merely speaks of a schema's type does not load zod.
  zod: ['config', 'tools', 'servers'],
};

export const ROOMS = Object.keys(ARROWS) as Room[];
