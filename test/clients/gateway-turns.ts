import { join } from 'node:path';
import type { Emulator } from '../../emulator/start.ts';
import { makePdf } from '../make-pdf.ts';
import { BIN } from './daemon.ts';
import type { Sandbox } from './sandbox.ts';

/** A coding agent that has its model from us: what it is told, and what it did. */
export interface Agent {
  readonly name: string;
  /** As `exai gateway env` calls it. */
  readonly tool: string;
  readonly env: Readonly<Record<string, string>>;
  /** The file of its home that `exai gateway env` prints, if it takes no variables. */
  readonly file?: string;
  /** The command that asks it one thing, with further options of the agent. */
  argv(prompt: string, more: readonly string[], start?: 'exai code'): readonly string[];
  /** What it shows, of what it wrote; throws what it calls an error. */
  shown(stdout: string): string;
  /** A prompt on which the emulated model calls the agent's tool that reads files, one call each. */
  toRead(...files: readonly string[]): string;
  /** Its tool that reads files sends a PDF as it is; the others read its bytes as a text. */
  readonly readsPdf?: true;
  /** The options that attach an image; absent if it has none. */
  readonly attach?: (image: string) => readonly string[];
  /** The options for an answer by this JSON schema, which is also in a file; absent if it has none. */
  readonly answerBy?: (schema: string, file: string) => readonly string[];
  /** How it also calls our tools; absent where that is not tried. */
  readonly ours?: {
    /** The command that connects it with this command of ours. */
    connect(command: readonly string[], home: string): readonly string[];
    /** A prompt on which the emulated model calls this tool of ours. */
    toCall(tool: string, args: object): string;
  };
}

const STORY =
  'The keeper lit the lamp, counted nine ships on the horizon, and wrote all their names in the book before midnight.';
const WORD = 'marzipan';
const OTHER_WORD = 'nougat';
const CITY = {
  type: 'object',
  properties: { name: { type: 'string' }, people: { type: 'integer' } },
  required: ['name', 'people'],
  additionalProperties: false,
};
/** 2 × 3 pixels. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAIAAAA2iEnWAAAAEUlEQVR4nGP4z8DwnwGMERQARNAF+7BYSawAAAAASUVORK5CYII=';

interface Prepared {
  readonly prompt: string;
  /** All of it must be shown. */
  readonly shows: readonly string[];
  /** What the vendor must have been sent. */
  readonly reaches?: string;
  /** Options of the agent for this turn. */
  readonly more?: readonly string[];
}

export interface Turn {
  readonly what: string;
  /** The column of the table that it belongs to. */
  readonly cell: string;
  /** How it ends; by default the agent shows its answer. */
  readonly ends?: 'refused' | 'interrupted';
  readonly model: string;
  /** Of the owner, which `exai gateway env` hands on, or of a client. */
  readonly key: 'owner' | 'client';
  /** How the agent is started; by the lines of `exai gateway env` by default. */
  readonly start?: 'exai code';
  /**
   * Gives the prompt, and what the agent must show in the end; undefined where it does not do that.
   */
  prepare(
    agent: Agent,
    sandbox: Sandbox,
    emulator: Emulator,
    daemonHome: string,
  ): Prepared | undefined | Promise<Prepared | undefined>;
  /** What the daemon must have written to its log meanwhile. */
  readonly logs?: string;
}

const say = (text: string) => ({ prompt: `Say exactly: ${text}`, shows: [text] });

export const TURNS: readonly Turn[] = [
  {
    what: 'a turn on Kimi',
    cell: 'plain',
    model: 'kimi-k2.6',
    key: 'owner',
    prepare: () => say(STORY),
  },
  {
    what: 'a turn on GLM, with a key',
    cell: 'plain',
    model: 'glm-5.3',
    key: 'client',
    prepare: () => say(STORY),
  },
  {
    what: 'a turn on auto',
    cell: 'plain',
    model: 'auto',
    key: 'owner',
    prepare: () => say(STORY),
  },
  {
    what: 'a turn started by exai code',
    cell: 'plain',
    model: 'auto',
    key: 'owner',
    start: 'exai code',
    prepare: () => say(STORY),
  },
  {
    what: 'a turn with a tool',
    cell: 'tools',
    model: 'kimi-k2.6',
    key: 'owner',
    prepare(agent, sandbox) {
      sandbox.write('work/word.txt', `The word is ${WORD}.\n`);
      return { prompt: agent.toRead(join(sandbox.home, 'work/word.txt')), shows: [WORD] };
    },
  },
  {
    what: 'a turn in which Kimi dies in mid-sentence',
    cell: 'stream',
    model: 'kimi-k2.6',
    key: 'owner',
    prepare(_agent, _sandbox, emulator) {
      emulator.fault({ id: 'F5.cut', vendor: 'kimi', after: 14 });
      // Few thoughts, so that it is the story that is cut.
      return { prompt: `Say exactly: ${STORY} [[think 3]]`, shows: [STORY] };
    },
    logs: '"outcome":"interrupted"',
  },
  {
    what: 'a turn with two calls at once',
    cell: 'parallel tools',
    model: 'kimi-k2.6',
    key: 'owner',
    prepare(agent, sandbox) {
      const files = [WORD, OTHER_WORD].map((word, at) => {
        sandbox.write(`work/word${at}.txt`, `The word is ${word}.\n`);
        return join(sandbox.home, `work/word${at}.txt`);
      });
      return { prompt: agent.toRead(...files), shows: [WORD, OTHER_WORD] };
    },
  },
  {
    what: 'an answer by a JSON schema',
    cell: 'JSON schema',
    model: 'auto',
    key: 'owner',
    prepare({ answerBy }, sandbox) {
      const file = join(sandbox.home, 'work/schema.json');
      const schema = JSON.stringify(CITY);
      sandbox.write('work/schema.json', schema);
      const prompt = 'Describe the city "Oslo" with 709037 people.';
      return answerBy && { prompt, more: answerBy(schema, file), shows: ['"people":'] };
    },
  },
  {
    what: 'an image',
    cell: 'image',
    model: 'auto',
    key: 'owner',
    prepare({ attach }, sandbox) {
      const file = join(sandbox.home, 'work/picture.png');
      sandbox.write('work/picture.png', Buffer.from(PNG, 'base64'));
      const prompt = 'What is in this picture?';
      return attach && { prompt, shows: [], reaches: PNG, more: attach(file) };
    },
  },
  ...['glm-5.3', 'kimi-k2.6'].map((model): Turn => ({
    what: `a PDF that it reads, on ${model}`,
    cell: 'PDF',
    model,
    key: 'owner',
    prepare(agent, sandbox) {
      if (!agent.readsPdf) return undefined;
      const says = `The gate of ${model} has 13 arches.`;
      sandbox.write('work/gate.pdf', makePdf(says));
      return {
        prompt: agent.toRead(join(sandbox.home, 'work/gate.pdf')),
        shows: [],
        reaches: says,
      };
    },
  })),
  {
    what: 'a model that there is not',
    cell: 'errors',
    model: 'no-such-model',
    key: 'owner',
    ends: 'refused',
    prepare: () => ({ prompt: 'Hello', shows: ['no-such-model'] }),
  },
  {
    what: 'an answer that the user interrupts',
    cell: 'abort',
    model: 'kimi-k2.6',
    key: 'owner',
    ends: 'interrupted',
    prepare(_agent, _sandbox, emulator) {
      emulator.fault({ id: 'slow', vendor: 'kimi', with: { chunkMs: 100 }, times: 0 });
      return { prompt: 'Go. [[tokens 3000]]', shows: [] };
    },
  },
  {
    what: 'precommit, which is not listed, through call_tool',
    cell: 'tools',
    model: 'kimi-k2.6',
    key: 'owner',
    async prepare({ ours, env }, sandbox, _emulator, daemonHome) {
      if (!ours) return undefined;
      sandbox.write('work/app.js', 'export const answer = 41;\n');
      await sandbox.run(['git', 'init', '--quiet']);
      const shim = [process.execPath, BIN, 'stdio'];
      await sandbox.run(ours.connect(shim, daemonHome), { env });
      const prompt = ours.toCall('call_tool', { name: 'precommit', arguments: LAST_STEP });
      return { prompt, shows: ['continuation_id: conv_'] };
    },
    logs: '"tool":"precommit","via":"call_tool"',
  },
];

const LAST_STEP = {
  step: 'The change sets the answer to 41.',
  step_number: 1,
  total_steps: 1,
  next_step_required: false,
  findings: 'The answer should be 42.',
};
