import type { SentenceOverrides } from '#core/messages/coded-message.ts';
import { invalidIdClause } from '#core/messages/error-reasons.ts';
import { createRenderer } from '#core/messages/render.ts';
import { CLI_SENTENCES, CUT_NOTICE } from './cli-sentences.ts';

type Value = string | number | boolean;

/** The slash commands of `exai chat` for the arguments of the tool `chat`. */
const SLASH_COMMANDS: Readonly<Record<string, (value?: Value) => string>> = {
  use_websearch: (value) =>
    value === undefined ? '/web' : `/web ${value === false ? 'off' : 'on'}`,
  model: (value) => (value === undefined ? '/model' : `/model ${value}`),
  files: () => '/file',
  continuation_id: () => '/new',
};

/** Arguments without a slash command; fixes for them are left out. */
const WITHOUT_COMMAND: ReadonlySet<string> = new Set(['max_output_tokens']);

export const CHAT_SENTENCES: SentenceOverrides = {
  ...CLI_SENTENCES,
  argument: commandName,
  notices: CUT_NOTICE,
  fixes: {
    ...CLI_SENTENCES.fixes,
    set_argument: ({ argument, value }) =>
      unlessUnknown(argument, isCommand(argument) ? 'use' : 'set', value),
    lower_argument: ({ argument }) => unlessUnknown(argument, 'lower'),
    raise_argument: ({ argument }) => unlessUnknown(argument, 'raise'),
    omit_argument: ({ argument, value }) => unlessUnknown(argument, 'leave out', value),
    list_models: () => 'list the models with: /models',
    use_other_model: () => 'choose another model with: /model',
    new_conversation: () => 'begin a new conversation with: /new',
    declare_root: () => 'start the chat in the folder',
  },
  commandFixes: [...(CLI_SENTENCES.commandFixes ?? []), 'use_other_model', 'new_conversation'],
  reasons: {
    invalid_id: ({ kind, given }) => `That ${invalidIdClause(kind, given)}`,
  },
};

function commandName(name: string, value?: Value): string {
  const command = Object.hasOwn(SLASH_COMMANDS, name) ? SLASH_COMMANDS[name] : undefined;
  if (command) return command(value);
  return value === undefined ? name : `${name}: ${value}`;
}

function isCommand(name: string): boolean {
  return Object.hasOwn(SLASH_COMMANDS, name);
}

function unlessUnknown(argument: string, verb: string, value?: Value): string {
  return WITHOUT_COMMAND.has(argument) ? '' : `${verb} ${commandName(argument, value)}`;
}

export const chatRenderer = createRenderer(CHAT_SENTENCES);
