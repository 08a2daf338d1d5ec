import { CallError } from '#core/errors/call-error.ts';
import { runChat, type ChatOptions } from '../chat/session.ts';
import { defineCommand } from '../command.ts';

const FIRST = 'id or message';
const ID = /^conv_\w*$/;

export const command = defineCommand({
  name: 'chat',
  summary: 'Chat in the terminal; conversations are saved and can be resumed',
  about:
    'Answers come as they are written, with who gave them and what it took below. /help in the chat has its commands. ' +
    'Ctrl-C cancels an answer, Ctrl-D leaves. In a pipe each line is a message. Starts the daemon if needed.\n' +
    '  exai chat\n' +
    '  exai chat "What could go wrong here?" --file src/main.ts\n' +
    '  exai chat --resume                     the last chat\n' +
    '  exai chat --resume conv_… "And then?"  that one',
  positionals: [
    {
      name: FIRST,
      need: 'optional',
      help: 'The first message, in quotes; with --resume, which conversation',
    },
    { name: 'message', need: 'optional', help: 'The first message, after an id' },
  ],
  extraArgumentError: 'The message is one argument; put it in quotes.',
  options: {
    resume: { type: 'boolean', help: 'Resume a conversation (default: the last one)' },
    model: { type: 'string', value: 'M', help: 'The model that answers; exai models lists them' },
    file: {
      type: 'texts',
      value: 'F',
      help: 'Attach a file to the first message; may be repeated',
    },
    web: { type: 'boolean', help: 'Search the web for each answer' },
    raw: { type: 'boolean', help: 'Do not render Markdown on a terminal' },
    json: { type: 'boolean', help: 'A JSON line for each answer: its envelope' },
  },
  signals: 'own',
  run({ options, positionals }, io) {
    const chatOptions: ChatOptions = {
      ...readFirstArguments(options.resume, positionals[FIRST], positionals['message']),
      model: options.model,
      web: options.web ? 'on' : 'auto',
      files: options.file ?? [],
      display: options.raw ? 'raw' : 'rendered',
      format: options.json ? 'json' : 'text',
    };
    return runChat(chatOptions, io, process);
  },
});

/** Which conversation to continue, and the first message. */
function readFirstArguments(
  resumes: true | undefined,
  first: string | undefined,
  second: string | undefined,
): Pick<ChatOptions, 'resume' | 'message'> {
  const isId = first !== undefined && ID.test(first);
  if (resumes && isId) return { resume: { id: first }, message: checked(second) };
  if (second !== undefined) throw refusal('The message is one argument.', 'Put it in quotes.');
  if (isId) throw refusal('That is the id of a conversation.', `exai chat --resume ${first}`);
  return { resume: resumes ? 'last' : undefined, message: checked(first) };
}

function checked(message: string | undefined): string | undefined {
  if (message === undefined || message.trim() !== '') return message;
  throw refusal('There is no message.', 'exai chat "Hello", or exai chat alone.');
}

function refusal(message: string, fix: string): CallError {
  return new CallError('bad_request', message, { field: 'message', fix });
}
