/**
 * Hidden inputs: time, randomness, the network and the environment, which would make a simulated
 * run impossible. Data for the linter: each is refused in src/ outside the one file that owns it.
 */
const CLOCK = 'Take the clock that is passed in; only src/app/system.ts reads the machine.';
const CHANCE = 'Take the randomness that is passed in; only src/app/system.ts asks the machine.';
const NETWORK = 'Use #net.';
const ENVIRONMENT = 'Take a Config; only src/config/environment.ts reads the environment.';
const URLS = 'Use isUrl of #core/net/is-url.ts: on Node 20 this one refuses what it took before.';
const AROUND = 'Name the thing itself, so that the linter sees what is used.';

export const GLOBALS: Record<string, string> = {
  setTimeout: CLOCK,
  setInterval: CLOCK,
  setImmediate: CLOCK,
  performance: CLOCK,
  crypto: CHANCE,
  fetch: NETWORK,
  WebSocket: NETWORK,
  EventSource: NETWORK,
  globalThis: AROUND,
  global: AROUND,
};

interface Property {
  /** Undefined: the property is refused on every object. */
  readonly object?: string;
  readonly property: string;
  readonly message: string;
}

export const PROPERTIES: readonly Property[] = [
  { object: 'Date', property: 'now', message: CLOCK },
  { object: 'AbortSignal', property: 'timeout', message: CLOCK },
  // Also when it is imported from node:perf_hooks.
  { object: 'performance', property: 'now', message: CLOCK },
  { object: 'process', property: 'hrtime', message: CLOCK },
  { object: 'process', property: 'uptime', message: CLOCK },
  { object: 'process', property: 'env', message: ENVIRONMENT },
  { object: 'Math', property: 'random', message: CHANCE },
  { object: 'URL', property: 'canParse', message: URLS },
  ...['randomBytes', 'randomFill', 'randomFillSync', 'randomInt', 'randomUUID'].map((property) => ({
    property,
    message: CHANCE,
  })),
  { property: 'getRandomValues', message: CHANCE },
];

export const BUILTINS: Record<string, string> = {
  'node:timers': CLOCK,
  'node:process': AROUND,
};

/** The deterministic part of the module; the rest is random. */
export const CRYPTO = {
  name: 'node:crypto',
  allowImportNames: [
    'createHash',
    'createHmac',
    'hash',
    'timingSafeEqual',
    'createDecipheriv',
    'Hash',
    'KeyObject',
    'X509Certificate',
    'createPrivateKey',
  ],
  message: CHANCE,
};
