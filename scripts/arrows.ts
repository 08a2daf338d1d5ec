/** The modules under src/ and the modules each may import. `.oxlintrc.json` is generated from it, and a test compares docs/ARCHITECTURE.md with it. */
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
  retrieval: ['core'],
  auth: ['core'],
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
    'retrieval',
    'auth',
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
  // `programs`: `exai code` runs a coding agent in the user's terminal.
  // `files`: `exai ask --file '**/*.md'` leaves out the folders that the daemon leaves out.
  cli: ['core', 'config', 'client', 'app', 'programs', 'files'],
} as const satisfies Record<string, readonly string[]>;

export type Module = keyof typeof ARROWS;

/** Modules without side effects: they may not import any Node built-in. */
export const PURE: readonly Module[] = ['core', 'mcp'];

/**
 * Packages and built-ins that only the named modules may import, subpaths included
 * (`node:fs/promises`). A module that needs one is added here.
 */
export const OWNED: Record<string, readonly Module[]> = {
  undici: ['net'],
  '@fastify/busboy': ['transport'],
  'ipaddr.js': ['net'],
  ignore: ['files'],
  // The one HTML and XML parser of the product.
  htmlparser2: ['extract'],
  entities: ['extract'],
  unpdf: ['extract'],
  fflate: ['extract'],
  // A table of 60 MB that takes 200 ms to load; only tests use it.
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
  'node:os': ['config', 'programs', 'app'],
  'node:tty': ['cli'],
  'node:child_process': ['programs', 'client', 'app'],
  'node:cluster': [],
  'node:worker_threads': ['store', 'telemetry', 'extract', 'retrieval'],
  'node:perf_hooks': ['app'],
  pg: ['store'],
  libsql: ['store'],
  '@modelcontextprotocol/*': ['transport', 'hub'],
  '@opentelemetry/*': ['telemetry'],
  // Elsewhere only in files named *.schema.ts, so that code that only needs a schema's type does
  // not load zod.
  zod: ['config', 'tools', 'servers'],
};

export const MODULES = Object.keys(ARROWS) as Module[];
