import { THINKING_MODES } from '#core/llm/route.ts';
import { CLI_WAIT_HELP } from '#core/time/call-times.ts';
import { PREFERENCES, askArgs } from '../ask/ask-args.ts';
import { homePaths, userFolder } from '#config/home/home.ts';
import { readAttachments } from '../ask/attachments.ts';
import { askQuestion } from '../ask/ask-question.ts';
import { defineCommand } from '../command.ts';
import { parseTimeoutOption } from '../number-options.ts';

export const command = defineCommand({
  name: 'ask',
  summary: 'Ask a question; picks a suitable model and falls back if it fails',
  about:
    'The answer goes to standard output; the model, the reason and the cost go to standard error. Standard input is the text ' +
    'that the question is about, or the question itself. --file and --image are repeatable; ' +
    'files are read in the current folder; quote patterns, so that the shell does not expand them. Starts the daemon ' +
    'if needed. Ctrl-C cancels.\n' +
    '  exai ask "What does a write-ahead log promise?"\n' +
    '  exai ask name three birds of Iceland\n' +
    '  exai ask --web "What is the newest Node.js LTS?"\n' +
    "  exai ask --file 'src/*.ts' --file README.md where is the cache cleared\n" +
    '  exai ask --cite --file report.pdf --file costs.xlsx "What did it cost, and when?"\n' +
    '  exai ask --image screenshot.png "What is wrong on this page?"\n' +
    '  exai ask --image before.png --image after.jpg "What differs?"\n' +
    '  git diff | exai ask "What could go wrong with this change?" --think high\n' +
    '  exai ask "Name three birds" --prefer cost --max-cost 0.01 --json',
  rest: {
    name: 'question',
    help: "Its words; quote what the shell would change, such as ? or '. Or piped in",
  },
  options: {
    file: {
      type: 'texts',
      value: 'F',
      help: `Attach a file, folder or '*' pattern; - is stdin`,
    },
    image: {
      type: 'texts',
      value: 'F',
      help: 'Attach a picture, or a web address of one; - is stdin',
    },
    cite: { type: 'boolean', help: 'Cite file and place for each statement, and check it' },
    model: { type: 'string', value: 'M', help: 'Ask this one; exai models lists them' },
    web: { type: 'boolean', help: 'Search the web first' },
    'no-fallback': { type: 'boolean', help: 'Fail when the first model fails' },
    prefer: { type: 'string', value: 'WHAT', help: PREFERENCES.join(' or ') },
    think: { type: 'string', value: 'MODE', help: `How hard: ${THINKING_MODES.join(', ')}` },
    'max-cost': { type: 'string', value: 'USD', help: 'Dollars it may cost at most' },
    timeout: { type: 'string', value: 'S', help: CLI_WAIT_HELP },
    raw: {
      type: 'boolean',
      help: 'Write the answer as it is: no Markdown rendering, no escapes',
    },
    json: { type: 'boolean', help: 'Print the whole envelope of the answer' },
  },
  signals: 'own',
  run({ options, rest = [] }, io) {
    const askOptions = {
      question: rest.length === 0 ? undefined : rest.join(' '),
      tool: options.cite ? 'file_chat' : 'chat',
      args: askArgs(options),
      attachments: readAttachments(options, {
        cwd: process.cwd(),
        userFolder: userFolder(io.env),
        exaiHome: homePaths(io.env).root,
      }),
      wait: parseTimeoutOption(options.timeout),
      format: options.json ? 'json' : 'text',
      display: options.raw ? 'raw' : 'rendered',
      columns: () => process.stdout.columns,
    } as const;
    return askQuestion(askOptions, io, process.stdin);
  },
});
