import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEmulator, type Emulator } from '../../emulator/start.ts';
import { agents } from './agents.ts';
import { BIN, startDaemon } from './daemon.ts';
import { createSandbox, type Sandbox } from './sandbox.ts';

/** A coding agent that has its model from us: what it is told, and what it did. */
export interface Agent {
  readonly name: string;
  /** As `exai gateway env` calls it. */
  readonly tool: string;
  readonly env: Readonly<Record<string, string>>;
  /** The command that asks it one thing. */
  argv(prompt: string): readonly string[];
  /** What it shows, of what it wrote; throws what it calls an error. */
  shown(stdout: string): string;
  /** A prompt on which the emulated model calls the agent's tool that reads this file. */
  toRead(file: string): string;
}

export interface AgentRun {
  readonly agent: string;
  readonly what: string;
  /** Absent when it went well. */
  readonly problem?: string;
  readonly transcript: string;
}

const STORY =
  'The keeper lit the lamp, counted nine ships on the horizon, and wrote all their names in the book before midnight.';
const WORD = 'marzipan';
const DAEMON = 'gateway';
/** As the documentation has it, but for where the command is. */
const START = 'e="$("$NODE" "$BIN" gateway env $OPTIONS)" && eval "$e" && exec "$@"';

interface Turn {
  readonly what: string;
  readonly model: string;
  /** Of the owner, which `exai gateway env` hands on, or of a client. */
  readonly key: 'owner' | 'client';
  /** Gives the prompt, and what the agent must show in the end. */
  prepare(
    agent: Agent,
    sandbox: Sandbox,
    emulator: Emulator,
  ): { readonly prompt: string; readonly shows: string };
  /** What the daemon must have written to its log meanwhile. */
  readonly logs?: string;
}

const say = (text: string) => ({ prompt: `Say exactly: ${text}`, shows: text });

const TURNS: readonly Turn[] = [
  { what: 'a turn on Kimi', model: 'kimi-k2.6', key: 'owner', prepare: () => say(STORY) },
  { what: 'a turn on GLM, with a key', model: 'glm-5.3', key: 'client', prepare: () => say(STORY) },
  {
    what: 'a turn on auto',
    model: 'auto',
    key: 'owner',
    prepare: () => say(STORY),
  },
  {
    what: 'a turn with a tool',
    model: 'kimi-k2.6',
    key: 'owner',
    prepare(agent, sandbox) {
      sandbox.write('work/word.txt', `The word is ${WORD}.\n`);
      return { prompt: agent.toRead(join(sandbox.home, 'work/word.txt')), shows: WORD };
    },
  },
  {
    what: 'a turn in which Kimi dies in mid-sentence',
    model: 'kimi-k2.6',
    key: 'owner',
    prepare(_agent, _sandbox, emulator) {
      emulator.fault({ id: 'F5.cut', vendor: 'kimi', after: 14 });
      // Few thoughts, so that it is the story that is cut.
      return { prompt: `Say exactly: ${STORY} [[think 3]]`, shows: STORY };
    },
    logs: '"outcome":"interrupted"',
  },
];

/** Every agent whose name is wanted, on a daemon of its own whose vendors are the emulator. */
export async function proveAgents(
  root: string,
  isWanted: (name: string) => boolean,
  tell: (run: AgentRun) => void,
): Promise<void> {
  const chosen = agents.filter(({ name }) => isWanted(name));
  if (chosen.length === 0) return;
  const emulator = await startEmulator();
  try {
    const daemon = await startDaemon(join(root, DAEMON), {
      KIMI_API_URL: `${emulator.url}/kimi/v1`,
      KIMI_API_KEY: 'sk-emulated-kimi-0001',
      GLM_API_URL: `${emulator.url}/glm/api/paas/v4`,
      GLM_API_KEY: 'emulated.secret0002',
    });
    const key = await daemon.addClient('agent');
    for (const agent of chosen)
      for (const turn of TURNS) tell(await takeTurn(agent, turn, root, { emulator, key }));
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
): Promise<AgentRun> {
  const home = join(root, `${agent.name}-${turn.what}`.replaceAll(/\W+/g, '-').toLowerCase());
  const sandbox = createSandbox(home, {});
  emulator.reset();
  const before = logOf(root);
  const about = { agent: agent.name, what: turn.what };
  try {
    const { prompt, shows } = turn.prepare(agent, sandbox, emulator);
    const options = [agent.tool, '--model', turn.model];
    const env = {
      ...agent.env,
      NODE: process.execPath,
      BIN,
      EXAI_HOME: join(root, DAEMON),
      OPTIONS: [...options, ...(turn.key === 'client' ? ['--key-env', 'AGENT_KEY'] : [])].join(' '),
      ...(turn.key === 'client' && { AGENT_KEY: key }),
    };
    const argv = ['sh', '-c', START, 'sh', ...agent.argv(prompt)];
    const { stdout } = await sandbox.run(argv, { env });
    const shown = agent.shown(stdout);
    const problem = shown.includes(shows)
      ? notLogged(turn, before, logOf(root))
      : `it does not show ${JSON.stringify(shows)} but: ${shown.slice(-2_000)}`;
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
