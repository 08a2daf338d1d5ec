import { resolve } from 'node:path';
import { expandTilde } from '#config/home/home.ts';
import type { Attempt, Envelope } from '#core/calls/envelope.schema.ts';
import { USAGE_METHODS, type SpendingReport } from '#core/diagnostics/usage-report.ts';
import { CallError } from '#core/errors/call-error.ts';
import { formatUsd } from '#core/text/format.ts';
import { didYouMean, oneLine } from '#core/text/text.ts';
import { describeOutcome } from '../ask/answer-footer.ts';
import type { Paint } from '../format/colors.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { formatColumns } from '../format/layout.ts';
import { describeTurnCount, formatInteger } from '../format/text.ts';
import type { Io } from '../io.ts';
import { formatThreadMarkdown } from '../threads/thread-markdown.ts';
import { loadFullThread } from '../threads/threads-tool.ts';
import { writeOutputFile } from '../write-file.ts';
import { chatFileName, resolveChatFile, type ShellContext } from './attach-file.ts';
import { chooseChatModel, formatUsableModels } from './choose-model.ts';
import { threadsTool, type ChatConnect } from './connect.ts';
import { resumeChat } from './resume.ts';
import type { ChatScreen } from './screen.ts';
import { NEW_CHAT, type ChatState, type ChatUsage, type WebMode } from './state.ts';

interface SlashCommandContext extends ShellContext {
  readonly io: Pick<Io, 'paint' | 'width'>;
  readonly screen: Pick<ChatScreen, 'print' | 'startSpinner' | 'formatAnswer'>;
  readonly connect: ChatConnect;
}

/** What a slash command changes. */
export interface SlashCommandResult {
  readonly state?: ChatState;
  readonly next?: 'leave' | { readonly send: string };
}

interface SlashCommand {
  readonly name: string;
  readonly args?: string;
  readonly help: string;
  run(
    rest: string,
    state: ChatState,
    deps: SlashCommandContext,
  ): SlashCommandResult | Promise<SlashCommandResult>;
}

const WEB_MODES: readonly WebMode[] = ['on', 'off', 'auto'];
const NOTHING_YET = 'No messages yet.';

const SLASH_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'help',
    help: 'this list',
    run(_, __, { io, screen }) {
      screen.print(formatSlashHelp(io.width));
      return {};
    },
  },
  {
    name: 'model',
    args: '[name|auto]',
    help: 'who answers from now on; auto lets EX-AI choose',
    async run(rest, state, deps) {
      const { text, model } = await chooseChatModel(rest, state, deps.connect);
      deps.screen.print(text);
      return { state: { ...state, model } };
    },
  },
  {
    name: 'models',
    help: 'the models that can be used, their windows and prices',
    async run(_, __, { io, screen, connect }) {
      screen.print(await formatUsableModels(connect, io));
      return {};
    },
  },
  {
    name: 'explain',
    help: 'show how the model for the last answer was chosen',
    run(_, { last }, { io, screen }) {
      screen.print(last ? describeRoute(last, io.paint) : NOTHING_YET);
      return {};
    },
  },
  {
    name: 'cost',
    help: 'what this chat cost, and what all clients cost today',
    async run(_, { usage: spent }, { screen, connect }) {
      screen.print(formatChatCost(spent));
      screen.startSpinner('looking up today');
      const today = await connect((client) => client.request(USAGE_METHODS.spending, {}), 'owner');
      screen.print(formatDailyCost(today as SpendingReport));
      return {};
    },
  },
  {
    name: 'file',
    args: '[path|none]',
    help: 'a text file or folder that the next message is about',
    run(rest, state, { screen, ...place }) {
      const files =
        rest === 'none'
          ? []
          : rest === ''
            ? state.files
            : [...state.files, resolveChatFile(rest, place)];
      const names = [...new Set(files.map(chatFileName))];
      screen.print(
        names.length === 0
          ? 'No file goes with the next message.'
          : escapeControls(`With the next message: ${names.join(', ')}`),
      );
      return { state: { ...state, files } };
    },
  },
  {
    name: 'web',
    args: '[on|off|auto]',
    help: 'web search: on, off or auto (only for current topics)',
    run(rest, state, { screen }) {
      const web = rest === '' ? state.web : parseWebMode(rest);
      screen.print(`Searching the web: ${web}`);
      return { state: { ...state, web } };
    },
  },
  {
    name: 'raw',
    args: '[on|off]',
    help: 'whether answers are shown as they were written, without rendering their Markdown',
    run(rest, state, { screen }) {
      const display = parseDisplay(rest, state.display);
      screen.print(`Raw Markdown: ${display === 'raw' ? 'on' : 'off'}`);
      return { state: { ...state, display } };
    },
  },
  {
    name: 'thread',
    help: 'the id of this conversation, and how many messages fit in',
    run(_, { thread }, { screen }) {
      if (!thread) screen.print(NOTHING_YET);
      else {
        const left = thread.left === undefined ? '' : `, ${describeRoom(thread.left)}`;
        screen.print(
          escapeControls(
            `${thread.id}${left}; continue later with: exai chat --resume ${thread.id}`,
          ),
        );
      }
      return {};
    },
  },
  {
    name: 'new',
    help: 'begin another conversation; this one is kept',
    run(_, state, { screen }) {
      screen.print('A new conversation begins with the next message.');
      const { model, web, display, usage } = state;
      return { state: { ...NEW_CHAT, model, web, display, usage } };
    },
  },
  {
    name: 'resume',
    args: '[id]',
    help: 'continue an earlier conversation (default: the last one)',
    async run(rest, state, { io, screen, connect }) {
      screen.startSpinner('looking it up');
      const view = { paint: io.paint, formatAnswer: screen.formatAnswer };
      const found = await resumeChat(state, rest === '' ? undefined : rest, connect, view);
      screen.print(found.shown);
      return { state: found.state };
    },
  },
  {
    name: 'retry',
    help: 'send the last message again',
    run(_, { lastMessage }, { screen }) {
      if (lastMessage !== undefined) return { next: { send: lastMessage } };
      screen.print(NOTHING_YET);
      return {};
    },
  },
  {
    name: 'save',
    args: 'file.md',
    help: 'write the whole conversation into a file',
    async run(rest, { thread }, deps) {
      if (!thread) deps.screen.print(NOTHING_YET);
      else deps.screen.print(escapeControls(await exportThread(thread.id, rest, deps)));
      return {};
    },
  },
  { name: 'exit', help: 'leave; so do Ctrl-D, and Ctrl-C twice', run: () => ({ next: 'leave' }) },
];

/** Aliases of slash commands. */
const ALIASES: Readonly<Record<string, string>> = {
  quit: 'exit',
  q: 'exit',
  bye: 'exit',
  '?': 'help',
  continue: 'resume',
};

export const SLASH_COMMAND_NAMES: readonly string[] = SLASH_COMMANDS.map(({ name }) => `/${name}`);

export async function runSlashCommand(
  name: string,
  rest: string,
  state: ChatState,
  deps: SlashCommandContext,
): Promise<SlashCommandResult> {
  const fullName = Object.hasOwn(ALIASES, name) ? ALIASES[name] : name;
  const found = SLASH_COMMANDS.find((command) => command.name === fullName);
  if (found) return found.run(rest, state, deps);
  const near = didYouMean(`/${name}`, SLASH_COMMAND_NAMES) || '.';
  throw new CallError('bad_request', `There is no command /${oneLine(name, 40)}${near}`, {
    fix: '/help lists them; a message that begins with a slash is written with two.',
  });
}

function formatSlashHelp(width?: number): string {
  const rows = SLASH_COMMANDS.map(({ name, args, help }) => [
    `/${name}${args === undefined ? '' : ` ${args}`}`,
    help,
  ]);
  return [
    formatColumns(rows, '', width).trimEnd(),
    '',
    'Everything else is a message. A backslash at the end of a line, or a pasted block, makes it',
    'one of several lines; // begins a message with a slash. Ctrl-C cancels an answer.',
  ].join('\n');
}

function describeRoom(left: number): string {
  if (left === 0) return 'full';
  return left === 1 ? 'one more message fits in' : `${left} more messages fit in`;
}

function parseWebMode(text: string): WebMode {
  const found = WEB_MODES.find((mode) => mode === text.toLowerCase());
  if (found) return found;
  throw new CallError('bad_request', `/web cannot be "${oneLine(text, 40)}".`, {
    fix: 'Use /web on, /web off or /web auto.',
  });
}

/** Without a word it is switched. */
function parseDisplay(text: string, current: ChatState['display']): ChatState['display'] {
  const wanted = text.toLowerCase();
  if (wanted === '') return current === 'raw' ? 'rendered' : 'raw';
  if (wanted === 'on' || wanted === 'off') return wanted === 'on' ? 'raw' : 'rendered';
  throw new CallError('bad_request', `/raw cannot be "${oneLine(text, 40)}".`, {
    fix: 'Use /raw on or /raw off.',
  });
}

/** Tokens and cost of this chat. */
export function formatChatCost({ answers, input, output, microUsd, unsure }: ChatUsage): string {
  if (answers === 0) return 'This chat: nothing yet.';
  const count = answers === 1 ? '1 answer' : `${formatInteger(answers)} answers`;
  const cost = microUsd === 0 && unsure === 0 ? 'free' : formatUsd(microUsd);
  const doubt =
    unsure === 0 ? '' : ` (${unsure === answers ? 'all' : unsure} estimated or unpriced)`;
  return `This chat: ${count}, ${formatInteger(input)} tokens in, ${formatInteger(output)} out, ${cost}${doubt}.`;
}

/** Requests and cost of all clients today. */
export function formatDailyCost({
  day,
  calls,
  costMicroUsd,
  unpriced,
  budget,
}: SpendingReport): string {
  const count = calls === 1 ? '1 request' : `${formatInteger(calls)} requests`;
  const doubt = unpriced === 0 ? '' : `, ${unpriced} unpriced`;
  const left = budget === undefined ? '' : ` ${formatUsd(budget.leftMicroUsd)} may still be spent.`;
  return `Today (${day}, UTC, all clients): ${count}, ${formatUsd(costMicroUsd)}${doubt}.${left}`;
}

/** Explains the route of the last answer from its envelope. */
export function describeRoute(
  { route, model, provider, status, detail }: Partial<Envelope>,
  paint: Paint,
): string {
  if (!route) {
    const why = status === 'error' && detail !== undefined ? ` ${detail}` : '';
    return escapeControls(`No model was asked.${why}`);
  }
  const { because, attempts, notices = [], seams = [] } = route;
  const by = provider === undefined ? '' : ` (${provider})`;
  const who = status === 'error' ? 'No model answered' : `${model ?? 'No model'}${by} answered`;
  const how = [
    ...(route.class === undefined ? [] : [`class ${route.class}`]),
    ...(route.rule === undefined ? [] : [`rule ${route.rule}`]),
  ].join(', ');
  return [
    paint('bold', escapeControls(`${who}${how === '' ? '' : `: ${how}`}`)),
    ...because.map((sentence) => `  ${escapeControls(sentence)}`),
    ...section('Asked', attempts.map(formatAttempt), paint),
    ...section(
      'Continued the answer',
      seams.map((seam) => `${seam.model} (${seam.provider}), after ${seam.at} characters`),
      paint,
    ),
    ...section('Notices', notices, paint),
  ].join('\n');
}

function section(title: string, lines: readonly string[], paint: Paint): readonly string[] {
  if (lines.length === 0) return [];
  return [paint('bold', title), ...lines.map((line) => `  ${escapeControls(line)}`)];
}

function formatAttempt({
  attempt,
  model,
  provider,
  elapsed_ms: ms,
  outcome,
  because,
}: Attempt): string {
  const deed = outcome === 'ok' ? 'answered' : describeOutcome(outcome);
  const why = because === undefined || outcome === 'ok' ? '' : `: ${because}`;
  return `${attempt}. ${model} (${provider}) ${deed} after ${(ms / 1000).toFixed(1)} s${why}`;
}

/** Writes a conversation to a new file; returns the message for the user. */
async function exportThread(
  id: string,
  given: string,
  { cwd, env, connect }: ShellContext & { readonly connect: ChatConnect },
): Promise<string> {
  if (given === '' || given.includes('\0')) {
    throw new CallError('bad_request', 'There is no name for the file.', { fix: '/save talk.md' });
  }
  const file = resolve(cwd, expandTilde(given, env));
  const whole = await connect((client) => loadFullThread(threadsTool(client), id));
  try {
    writeOutputFile(file, formatThreadMarkdown(whole), 'keep');
  } catch (thrown) {
    const { class: errorClass, message } = CallError.from(thrown);
    throw new CallError(errorClass, message, { fix: 'Choose another name.', cause: thrown });
  }
  return `${describeTurnCount(whole.turns.length)} written to ${file}`;
}
