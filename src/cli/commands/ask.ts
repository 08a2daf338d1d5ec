import { THINKING_MODES } from '#core/llm/route.ts';
import { PREFERENCES, askArgs } from '../ask/ask-args.ts';
import { askQuestion } from '../ask/ask-question.ts';
import { defineCommand } from '../command.ts';
import { parseSecondsOption } from '../number-options.ts';

/** The limit of the tool. */
const MAX_SECONDS = 300;
/** The daemon ends the call before this, with a better error than a timeout here. */
const PATIENCE_MS = 600_000;

export const command = defineCommand({
  name: 'ask',
  summary: 'Ask a question; the model that suits answers, and another when it fails',
  about:
    'The answer goes to standard output, who gave it and what it took to standard error. What is piped in is the text ' +
    'that the question is about, or the question itself. The daemon is started if need be; Ctrl-C cancels.\n' +
    '  exai ask "What does a write-ahead log promise?"\n' +
    '  exai ask name three birds of Iceland\n' +
    '  exai ask --web "What is the newest Node.js LTS?"\n' +
    '  git diff | exai ask "What could go wrong with this change?" --think high\n' +
    '  exai ask "Name three birds" --prefer cost --max-cost 0.01 --json',
  rest: {
    name: 'question',
    help: "Its words; quote what the shell would change, such as ? or '. Or piped in",
  },
  options: {
    model: { type: 'string', value: 'M', help: 'Ask this one; exai models lists them' },
    web: { type: 'boolean', help: 'Search the web first' },
    'no-fallback': { type: 'boolean', help: 'Fail when the first model fails' },
    prefer: { type: 'string', value: 'WHAT', help: PREFERENCES.join(' or ') },
    think: { type: 'string', value: 'MODE', help: `How hard: ${THINKING_MODES.join(', ')}` },
    'max-cost': { type: 'string', value: 'USD', help: 'Dollars it may cost at most' },
    timeout: {
      type: 'string',
      value: 'S',
      help: `Seconds to wait at most, up to ${MAX_SECONDS}; 10 minutes unless told`,
    },
    json: { type: 'boolean', help: 'Print the whole envelope of the answer' },
  },
  signals: 'own',
  run({ options, rest = [] }, io) {
    const askOptions = {
      question: rest.length === 0 ? undefined : rest.join(' '),
      args: askArgs(options),
      timeoutMs:
        options.timeout === undefined
          ? PATIENCE_MS
          : parseSecondsOption(options.timeout, '--timeout', MAX_SECONDS),
      format: options.json ? 'json' : 'text',
    } as const;
    return askQuestion(askOptions, io, process.stdin);
  },
});
