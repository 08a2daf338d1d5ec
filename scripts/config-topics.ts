import type { Config } from '#config/schema/config.schema.ts';

/** A chapter of docs/config.md and .env.example. */
export interface Topic {
  readonly title: string;
  readonly about: string;
  readonly keys: readonly (keyof Config)[];
}

/** In the order in which a reader meets them. Each top-level key stands in exactly one. */
export const TOPICS: readonly Topic[] = [
  {
    title: 'Providers',
    about:
      'Who answers. A provider without a key is not asked; one key is enough. `exai keys add kimi` asks for a key without showing it.',
    keys: ['providers'],
  },
  {
    title: 'Models and routing',
    about: 'Which model plays which role. Names of retired models resolve to their successors.',
    keys: ['models', 'routing'],
  },
  {
    title: 'Failover and budgets',
    about:
      'When a provider is left alone, who answers in its place, and what may be spent. `exai usage` shows what was.',
    keys: ['fallback', 'breaker', 'budget'],
  },
  {
    title: 'Network',
    about: 'How this machine reaches the world, and how long it waits for an answer.',
    keys: ['network', 'timeouts'],
  },
  {
    title: 'Network listener and auth',
    about: 'Where clients connect, who may, and when a connection is given up.',
    keys: ['host', 'port', 'tls', 'token', 'auth', 'listener', 'compat'],
  },
  {
    title: 'Gateway',
    about: 'What clients of the OpenAI and Anthropic APIs are answered at `/v1`.',
    keys: ['gateway'],
  },
  {
    title: 'Locale',
    about: 'Told to models with each request. Nothing of it is looked up over the network.',
    keys: ['timezone', 'location', 'locale'],
  },
  {
    title: 'Files',
    about: 'Which files on this machine callers may name.',
    keys: ['allowedDirs', 'files', 'programs'],
  },
  {
    title: 'Limits',
    about:
      'How many calls may wait for a provider at once; more than that queue. Built-in tools that ask no provider are not counted.',
    keys: ['limits'],
  },
  {
    title: 'Jobs and long answers',
    about:
      'When a slow call becomes a background job, and how much of a long answer is returned at once. Nothing is lost either way.',
    keys: ['jobs', 'results'],
  },
  {
    title: 'Tools',
    about: 'Which tools clients see, and which they may not use at all.',
    keys: ['tools'],
  },
  {
    title: 'Storage',
    about:
      'What is kept, where, and for how long. Nothing is removed while the clock of the machine is far ahead of what the store has seen: see docs/troubleshooting.md.',
    keys: ['database', 'retention', 'threads'],
  },
  {
    title: 'Logs and tracing',
    about: 'Logs stay in EXAI_HOME/logs. Spans leave the machine only if a receiver is set here.',
    keys: ['log', 'tracing'],
  },
  {
    title: 'MCP servers',
    about:
      'Servers whose tools EX-AI offers to its clients as `mcp__NAME__tool`. Each is a section with a free name and either `command` (a program that speaks MCP over stdin and stdout) or `url`. A `${NAME}` that is not set disables the server it stands in, and no other.',
    keys: ['mcpServers', 'hub'],
  },
  {
    title: 'Agents',
    about:
      'What agents that work within EX-AI may use, whatever the client that they work for may use. [agents.md](agents.md) describes rows and has the defaults.',
    keys: ['agents'],
  },
  {
    title: 'Bundled servers',
    about: 'What the tool servers that come with EX-AI need.',
    keys: ['composio', 'vision', 'edgar'],
  },
  {
    title: 'Shutdown',
    about: 'How the daemon ends.',
    keys: ['shutdown'],
  },
];
