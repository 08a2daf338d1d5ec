import { CallError } from '#core/call-error.ts';
import { didYouMean } from '#core/nearest.ts';
import { oneLine } from '#core/one-line.ts';
import { USAGE_METHODS, type SpendingReport } from '#core/usage-report.ts';
import type { Connect } from './chat-connect.ts';
import { chatCost, todaysCost } from './chat-cost.ts';
import { explainAnswer } from './chat-explain.ts';
import { chatFile, fileName, type Place } from './chat-file.ts';
import { chooseModel, listModels } from './chat-models.ts';
import { resume } from './chat-resume.ts';
import { saveThread } from './chat-save.ts';
import type { ChatScreen } from './chat-screen.ts';
import { NEW_CHAT, type ChatState, type WebWish } from './chat-state.ts';
import { columns } from './columns.ts';
import type { Io } from './io.ts';
import { harmless } from './terminal-text.ts';

export interface CommandDeps extends Place {
  readonly io: Pick<Io, 'paint' | 'width'>;
  readonly screen: Pick<ChatScreen, 'say' | 'wait'>;
  readonly connect: Connect;
}

/** What is different afterwards. */
export interface Done {
  readonly state?: ChatState;
  readonly next?: 'leave' | { readonly send: string };
}

interface ChatCommand {
  readonly name: string;
  readonly args?: string;
  readonly help: string;
  run(rest: string, state: ChatState, deps: CommandDeps): Done | Promise<Done>;
}

const WEB_WISHES: readonly WebWish[] = ['on', 'off', 'auto'];
const NOTHING_YET = 'Nothing was said yet.';

const COMMANDS: readonly ChatCommand[] = [
  {
    name: 'help',
    help: 'this list',
    run(_, __, { io, screen }) {
      screen.say(helpText(io.width));
      return {};
    },
  },
  {
    name: 'model',
    args: '[name|auto]',
    help: 'who answers from now on; auto lets EX-AI choose',
    async run(rest, state, deps) {
      const { words, model } = await chooseModel(rest, state, deps.connect);
      deps.screen.say(words);
      return { state: { ...state, model } };
    },
  },
  {
    name: 'models',
    help: 'the models that can be used, their windows and prices',
    async run(_, __, { io, screen, connect }) {
      screen.say(await listModels(connect, io));
      return {};
    },
  },
  {
    name: 'explain',
    help: 'why the last answer came from whom',
    run(_, { last }, { io, screen }) {
      screen.say(last ? explainAnswer(last, io.paint) : NOTHING_YET);
      return {};
    },
  },
  {
    name: 'cost',
    help: 'what this chat cost, and what all clients cost today',
    async run(_, { spent }, { screen, connect }) {
      screen.say(chatCost(spent));
      screen.wait('looking up today');
      const today = await connect((client) => client.request(USAGE_METHODS.spending, {}), 'owner');
      screen.say(todaysCost(today as SpendingReport));
      return {};
    },
  },
  {
    name: 'file',
    args: '[path|none]',
    help: 'a text file or folder that the next message is about',
    run(rest, state, { screen, ...place }) {
      const files =
        rest === 'none' ? [] : rest === '' ? state.files : [...state.files, chatFile(rest, place)];
      const names = [...new Set(files.map(fileName))];
      screen.say(
        names.length === 0
          ? 'No file goes with the next message.'
          : harmless(`With the next message: ${names.join(', ')}`),
      );
      return { state: { ...state, files } };
    },
  },
  {
    name: 'web',
    args: '[on|off|auto]',
    help: 'whether the web is searched; auto: when the message asks for what is new',
    run(rest, state, { screen }) {
      const web = rest === '' ? state.web : wishIn(rest);
      screen.say(`Searching the web: ${web}`);
      return { state: { ...state, web } };
    },
  },
  {
    name: 'thread',
    help: 'the id of this conversation, and how many messages fit in',
    run(_, { thread }, { screen }) {
      if (!thread) screen.say(NOTHING_YET);
      else {
        const left = thread.left === undefined ? '' : `, ${roomWords(thread.left)}`;
        screen.say(
          harmless(`${thread.id}${left}; go on later with: exai chat --resume ${thread.id}`),
        );
      }
      return {};
    },
  },
  {
    name: 'new',
    help: 'begin another conversation; this one is kept',
    run(_, state, { screen }) {
      screen.say('A new conversation begins with the next message.');
      return { state: { ...NEW_CHAT, model: state.model, web: state.web, spent: state.spent } };
    },
  },
  {
    name: 'resume',
    args: '[id]',
    help: 'go on with an earlier conversation, the last chat unless told',
    async run(rest, state, { io, screen, connect }) {
      screen.wait('looking it up');
      const found = await resume(state, rest === '' ? undefined : rest, connect, io.paint);
      screen.say(found.shown);
      return { state: found.state };
    },
  },
  {
    name: 'retry',
    help: 'send the last message again',
    run(_, { lastMessage }, { screen }) {
      if (lastMessage !== undefined) return { next: { send: lastMessage } };
      screen.say(NOTHING_YET);
      return {};
    },
  },
  {
    name: 'save',
    args: 'file.md',
    help: 'write the whole conversation into a file',
    async run(rest, { thread }, deps) {
      if (!thread) deps.screen.say(NOTHING_YET);
      else deps.screen.say(harmless(await saveThread(thread.id, rest, deps)));
      return {};
    },
  },
  { name: 'exit', help: 'leave; so do Ctrl-D, and Ctrl-C twice', run: () => ({ next: 'leave' }) },
];

/** Other words for the same. */
const ALIASES: Readonly<Record<string, string>> = {
  quit: 'exit',
  q: 'exit',
  bye: 'exit',
  '?': 'help',
  continue: 'resume',
};

export const COMMAND_NAMES: readonly string[] = COMMANDS.map(({ name }) => `/${name}`);

export async function runCommand(
  name: string,
  rest: string,
  state: ChatState,
  deps: CommandDeps,
): Promise<Done> {
  const meant = Object.hasOwn(ALIASES, name) ? ALIASES[name] : name;
  const found = COMMANDS.find((command) => command.name === meant);
  if (found) return found.run(rest, state, deps);
  const near = didYouMean(`/${name}`, COMMAND_NAMES) || '.';
  throw new CallError('bad_request', `There is no command /${oneLine(name, 40)}${near}`, {
    fix: '/help lists them; a message that begins with a slash is written with two.',
  });
}

export function helpText(width?: number): string {
  const rows = COMMANDS.map(({ name, args, help }) => [
    `/${name}${args === undefined ? '' : ` ${args}`}`,
    help,
  ]);
  return [
    columns(rows, '', width).trimEnd(),
    '',
    'Everything else is a message. A backslash at the end of a line, or a pasted block, makes it',
    'one of several lines; // begins a message with a slash. Ctrl-C cancels an answer.',
  ].join('\n');
}

function roomWords(left: number): string {
  if (left === 0) return 'full';
  return left === 1 ? 'one more message fits in' : `${left} more messages fit in`;
}

function wishIn(text: string): WebWish {
  const found = WEB_WISHES.find((wish) => wish === text.toLowerCase());
  if (found) return found;
  throw new CallError('bad_request', `/web cannot be "${oneLine(text, 40)}".`, {
    fix: 'Use /web on, /web off or /web auto.',
  });
}
