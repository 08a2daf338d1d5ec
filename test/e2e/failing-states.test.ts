import { describe, expect, onTestFinished } from 'vitest';
import { startEmulator, type Emulator } from '../../emulator/start.ts';
import { verifies } from '../verifies.ts';
import { createPlainHome, type RunOptions } from './exai.ts';

const NOT_CONFIGURED = 22;
const NETWORK = 16;
const NOT_FOUND = 6;
const CONFLICT = 7;
const GLM_KEY = 'emulated.secret0002';
const KIMI_KEY = 'sk-emulated-kimi-0001';

interface Expected {
  readonly code: number;
  /** What each line of the output must match, stdout and stderr together. */
  readonly says: readonly RegExp[];
}

interface FailingState {
  readonly what: string;
  readonly env: (emulator: Emulator) => Readonly<Record<string, string>>;
  readonly fault?: string;
  readonly daemon: 'runs' | 'stopped';
  readonly ask: Expected;
  readonly askAgain: Expected;
  readonly status: Expected;
  readonly doctor: Expected;
}

const glmAt = ({ url }: Emulator) => ({
  GLM_API_URL: `${url}/glm/api/paas/v4`,
  GLM_API_KEY: GLM_KEY,
});

const UNREACHABLE: Expected = {
  code: NOT_CONFIGURED,
  says: [
    /^No model answered \(glm-\S+: could not be reached or closed the connection\): exai doctor$/m,
  ],
};

const STATES: readonly FailingState[] = [
  {
    what: 'no provider',
    env: () => ({}),
    daemon: 'runs',
    ask: { code: NOT_CONFIGURED, says: [/exai keys add glm$/m] },
    askAgain: { code: NOT_CONFIGURED, says: [/exai keys add glm$/m] },
    status: { code: 0, says: [/^ +problem +no model is set up: exai keys add glm$/m] },
    doctor: { code: NOT_CONFIGURED, says: [/^Next: exai keys add glm$/m] },
  },
  {
    what: 'a host that cannot be reached',
    env: () => ({ GLM_API_URL: 'http://127.0.0.1:9/v4', GLM_API_KEY: GLM_KEY }),
    daemon: 'runs',
    ask: UNREACHABLE,
    askAgain: UNREACHABLE,
    status: {
      code: 0,
      says: [/^ +problem +glm could not be reached or closed the connection: exai doctor$/m],
    },
    doctor: {
      code: NOT_CONFIGURED,
      says: [
        /^! +GLM .*127\.0\.0\.1:9 refused the connection/m,
        /no model can answer; look at: GLM/,
        /^! .*-> GLM_API_URL is http:\/\/127\.0\.0\.1:9\/v4; unset it/m,
        /^Next: exai keys test glm$/m,
      ],
    },
  },
  {
    what: 'a refused key',
    env: glmAt,
    fault: 'F16',
    daemon: 'runs',
    ask: {
      code: NOT_CONFIGURED,
      says: [/^No model answered \(glm-\S+: did not accept the key\): exai keys add glm$/m],
    },
    askAgain: {
      code: NOT_CONFIGURED,
      says: [/are unavailable: .* its key was refused .*exai keys add glm$/m],
    },
    status: { code: 0, says: [/^ +problem +glm did not accept the key: exai keys add glm$/m] },
    doctor: {
      code: NOT_CONFIGURED,
      says: [/^! +GLM .*does not accept the key/m, /^Next: exai keys add glm$/m],
    },
  },
  {
    what: 'an account without a balance',
    env: glmAt,
    fault: 'F2',
    daemon: 'runs',
    ask: {
      code: NOT_CONFIGURED,
      says: [
        /^No model answered \(glm-\S+: required payment\): top it up .*: exai keys test glm$/m,
      ],
    },
    askAgain: {
      code: NOT_CONFIGURED,
      says: [/are unavailable: .* it requires payment .* then: exai keys test glm$/m],
    },
    status: {
      code: 0,
      says: [/^ +balance +used up at glm \(billing\): top it up .*: exai keys test glm$/m],
    },
    doctor: {
      code: NOT_CONFIGURED,
      says: [/^! +GLM .*nothing is left/m, /^Next: Top it up .*: exai keys test glm$/m],
    },
  },
  {
    what: 'a stopped daemon that commands may not start',
    env: (emulator) => ({ ...glmAt(emulator), EXAI_AUTOSTART: 'false' }),
    daemon: 'stopped',
    ask: { code: NETWORK, says: [/No daemon runs on .*none may be started/, /exai start$/m] },
    askAgain: { code: NETWORK, says: [/exai start$/m] },
    status: { code: NOT_FOUND, says: [/^EX-AI is not running on /, /exai start$/m] },
    doctor: {
      code: 0,
      says: [/^- +Daemon +not running -> exai start$/m, /EXAI_AUTOSTART/, /^Next: exai start$/m],
    },
  },
];

async function inState({ env: settings, fault, daemon }: FailingState) {
  const emulator = await startEmulator();
  onTestFinished(() => emulator.close());
  const env = { EXAI_PORT: '0', LANG: 'C', ...settings(emulator) };
  const home = createPlainHome();
  const options: RunOptions = { env };
  if (fault !== undefined) emulator.fault({ id: fault, vendor: 'glm', times: 0 });
  const running = await home.serve([], options);
  if (daemon === 'stopped') {
    running.kill('SIGTERM');
    await running.ended;
  }
  return { emulator, env, run: (...args: readonly string[]) => home.exai(args, options) };
}

describe.each(STATES)('with $what', (state) => {
  verifies(
    'states:told',
    'ask, status and doctor say so, with the command that helps',
    async () => {
      const { run } = await inState(state);
      for (const [args, { code, says }] of [
        [['ask', 'What is a monad?'], state.ask],
        [['ask', 'And a functor?'], state.askAgain],
        [['status'], state.status],
        [['doctor'], state.doctor],
      ] as const) {
        const result = await run(...args);
        const output = `${result.stdout}${result.stderr}`;
        expect([args[0], result.code, output]).toEqual([args[0], code, output]);
        for (const line of says) expect(output).toMatch(line);
      }
    },
  );
});

const OTHER_EXAI = /another EX-AI \d+\.\d+\.\d+ \(pid \d+\)/;
const OTHER_PORT = /EXAI_PORT=0 exai start$/m;

verifies(
  'states:told',
  'with a port taken by another EX-AI, ask, status and doctor say so, with the command that helps',
  async () => {
    const emulator = await startEmulator();
    onTestFinished(() => emulator.close());
    const { url } = await createPlainHome().serve();
    const { exai } = createPlainHome();
    const env = { ...glmAt(emulator), EXAI_PORT: new URL(url).port, LANG: 'C' };
    for (const [command, code] of [
      [['ask', 'What is a monad?'], CONFLICT],
      [['status'], NOT_FOUND],
      [['doctor'], NOT_CONFIGURED],
    ] as const) {
      const result = await exai(command, { env });
      const output = `${result.stdout}${result.stderr}`;
      expect([command[0], result.code, output]).toEqual([command[0], code, output]);
      for (const line of [OTHER_EXAI, OTHER_PORT]) expect(output).toMatch(line);
    }
  },
);

verifies(
  'states:told',
  'an account that is paid again is used again after keys test, and nothing is reported',
  async () => {
    const state: FailingState = {
      ...STATES.find(({ what }) => what === 'an account without a balance')!,
      env: (emulator) => ({
        ...glmAt(emulator),
        KIMI_API_URL: `${emulator.url}/kimi/v1`,
        KIMI_API_KEY: KIMI_KEY,
      }),
    };
    const { emulator, run } = await inState(state);
    const first = await run('ask', 'What is a monad?');
    expect([first.code, first.stderr]).toEqual([
      0,
      expect.stringMatching(/^kimi-\S+ \(kimi\): glm-\S+ was chosen but required payment; /),
    ]);
    const second = await run('ask', 'And a functor?');
    expect(second.stderr).toContain('no other rule found an available model');

    emulator.clearFaults();
    const tested = await run('keys', 'test', 'glm');
    expect([tested.code, tested.stdout]).toEqual([
      0,
      expect.stringContaining('Used again at once: glm'),
    ]);
    expect((await run('ask', 'And an applicative?')).stderr).toMatch(/^glm-\S+ \(glm\): /);
    expect((await run('status')).stdout).not.toMatch(/^ +(?:balance|problem) /m);
    expect((await run('status', '--json')).stdout).not.toContain('failing');
  },
);
