import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEmulator, type Emulator } from '../../emulator/start.ts';
import { agents } from './agents.ts';
import { BIN, startDaemon } from './daemon.ts';
import { TURNS, type Agent, type Turn } from './gateway-turns.ts';
import { createSandbox, type Output, type Sandbox } from './sandbox.ts';

export interface AgentRun {
  readonly agent: string;
  readonly what: string;
  readonly cell: string;
  /** Absent when it went well. */
  readonly problem?: string;
  readonly transcript: string;
}

const DAEMON = 'gateway';
/** An agent sends its instructions and tools with every request. */
const KEPT_BODY_BYTES = 1_048_576;
/** As the documentation has it, but for where the command is. */
const EVAL = 'e="$("$NODE" "$BIN" gateway env $OPTIONS)" && eval "$e" && exec "$@"';

/** The first word of an agent's command is its name for `exai code`, too. */
const CODE = 'exec "$NODE" "$BIN" code "$@"';

/** For an agent that takes a file. */
const START_BY_FILE =
  'mkdir -p "$(dirname "$FILE")" && "$NODE" "$BIN" gateway env $OPTIONS > "$FILE" && ' +
  'export GATEWAY_KEY="${GATEWAY_KEY:-$("$NODE" "$BIN" token show)}" && exec "$@"';

/** Every agent whose name is wanted, on a daemon of its own whose vendors are the emulator. */
export async function proveAgents(
  root: string,
  isWanted: (name: string) => boolean,
  tell: (run: AgentRun) => void,
): Promise<void> {
  const chosen = agents.filter(({ name }) => isWanted(name));
  if (chosen.length === 0) return;
  const emulator = await startEmulator({ keptBodyBytes: KEPT_BODY_BYTES });
  try {
    const daemon = await startDaemon(join(root, DAEMON), {
      KIMI_API_URL: `${emulator.url}/kimi/v1`,
      KIMI_API_KEY: 'sk-emulated-kimi-0001',
      GLM_API_URL: `${emulator.url}/glm/api/paas/v4`,
      GLM_API_KEY: 'emulated.secret0002',
    });
    const key = await daemon.addClient('agent');
    for (const agent of chosen)
      for (const turn of TURNS) {
        const run = await takeTurn(agent, turn, root, { emulator, key });
        if (run) tell(run);
      }
  } finally {
    await emulator.close();
  }
}

interface Around {
  readonly emulator: Emulator;
  readonly key: string;
}

async function takeTurn(
  agent: Agent,
  turn: Turn,
  root: string,
  { emulator, key }: Around,
): Promise<AgentRun | undefined> {
  const home = join(root, `${agent.name}-${turn.what}`.replaceAll(/\W+/g, '-').toLowerCase());
  const sandbox = createSandbox(home, {});
  emulator.reset();
  const before = logOf(root);
  const about = { agent: agent.name, what: turn.what, cell: turn.cell };
  try {
    const prepared = await turn.prepare(agent, sandbox, emulator, join(root, DAEMON));
    if (!prepared) return undefined;
    const { prompt, shows, more = [], reaches = '' } = prepared;
    const options = [agent.tool, '--model', turn.model];
    const env = {
      ...agent.env,
      NODE: process.execPath,
      BIN,
      EXAI_HOME: join(root, DAEMON),
      OPTIONS: [...options, ...(turn.key === 'client' ? ['--key-env', 'AGENT_KEY'] : [])].join(' '),
      ...(turn.key === 'client' && { AGENT_KEY: key }),
      ...(agent.file !== undefined && { FILE: join(home, agent.file) }),
    };
    const byEnv = agent.file === undefined ? EVAL : START_BY_FILE;
    const line = turn.start === 'exai code' ? CODE : byEnv;
    const argv = ['sh', '-c', line, 'sh', ...agent.argv(prompt, more, turn.start)];
    const shown = await endOf(turn, agent, sandbox, emulator, { argv, env });
    const missing = shows.filter((part) => !shown.includes(part));
    const sent = emulator.requests({}).map(({ body }) => JSON.stringify(body));
    if (reaches !== '' && !sent.some((body) => body.includes(reaches))) {
      throw new Error('the vendor was not sent what it should have');
    }
    const problem =
      missing.length === 0
        ? notLogged(turn, before, logOf(root))
        : `it does not show ${JSON.stringify(missing)} but: ${shown.slice(-2_000)}`;
    return { ...about, ...(problem && { problem }), transcript: sandbox.transcript() };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { ...about, problem, transcript: sandbox.transcript() };
  } finally {
    await sandbox.close();
  }
}

function logOf(root: string): string {
  const folder = join(root, DAEMON, 'logs');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('');
}

function notLogged({ logs }: Turn, before: string, after: string): string | undefined {
  if (logs === undefined || after.split(logs).length > before.split(logs).length) return undefined;
  return `the daemon has not logged ${logs}`;
}

interface Command {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Lets a turn end as it should; gives what the agent shows then. */
async function endOf(
  { ends }: Turn,
  agent: Agent,
  sandbox: Sandbox,
  emulator: Emulator,
  { argv, env }: Command,
): Promise<string> {
  if (ends === 'interrupted') {
    const child = sandbox.start(argv, { env });
    child.stdin?.end();
    await until(() => emulator.requests({ vendor: 'kimi' }).length > 0, 'asked no model');
    child.kill('SIGINT');
    await until(
      () => emulator.requests({ vendor: 'kimi' }).every(({ left }) => left),
      'left its request running',
    );
    return '';
  }
  if (ends === 'refused') {
    const { stdout, stderr }: Output = await sandbox.tryRun(argv, { env });
    return stdout + stderr;
  }
  const { stdout } = await sandbox.run(argv, { env });
  return agent.shown(stdout);
}

const LATE_MS = 30_000;
const POLL_MS = 50;

async function until(isSo: () => boolean, otherwise: string): Promise<void> {
  const end = performance.now() + LATE_MS;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`it ${otherwise} within ${LATE_MS / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
