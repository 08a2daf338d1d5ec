import { systemClock } from '#app/system.ts';
import type { Envelope } from '#core/envelope.schema.ts';
import { ERROR_POLICY, isErrorClass } from '#core/error-class.ts';
import { askDaemon } from '../ask-daemon.ts';
import { callArgs } from '../call-args.ts';
import { readCallFailure, readCallResult } from '../call-result.ts';
import { defineCommand } from '../command.ts';
import { asQuestion, explainRequest, isToolName, type ExplainRequest } from '../explain-request.ts';
import { cliRenderer } from '../messages/cli-sentences.ts';
import { failureIn, failureLines } from '../messages/failure.ts';
import { paintExplanation } from '../paint-explanation.ts';
import { printAsIs } from '../print-as-is.ts';
import { readInput, WAITING_WORDS } from '../read-input.ts';
import { harmless } from '../terminal-text.ts';

const TOOL = 'route';
const WHAT = 'tool or question';

export const command = defineCommand({
  name: 'explain',
  summary: 'Say which model would answer, and why, without asking it',
  about:
    'Shows what is known of the request, every rule up to the one that wins (>), who is asked in which order, who is ' +
    'left out, and with --payload the very request. No model is asked and nothing is spent; the daemon is started if ' +
    'need be. What is piped in belongs to a question as it does in exai ask. When nobody could answer, it exits with ' +
    'the code of the error class; docs/errors.md lists them.\n' +
    '  exai explain "What is new in Node.js today?"\n' +
    '  git diff | exai explain "What could go wrong with this change?"\n' +
    `  exai explain chat --args '{"prompt": "Hello", "model": "kimi-k3"}' --payload\n` +
    '  exai explain thinkdeep --args @step.json --json\n' +
    '  exai explain gateway_chat --args @body.json   of a request to /v1/chat/completions',
  positionals: [
    {
      name: WHAT,
      need: 'optional',
      help: 'One word is a name; a question stands in quotes, or is piped in',
    },
  ],
  noMoreWords: 'A question is one argument; put it in quotes.',
  options: {
    args: {
      type: 'string',
      value: 'JSON',
      help: 'Its arguments: a JSON object, @FILE with one, or - for standard input',
    },
    payload: { type: 'boolean', help: 'Also what would be sent, without the key' },
    json: { type: 'boolean', help: 'Print the explanation as one JSON document' },
  },
  async run({ options, positionals }, io) {
    const args = await callArgs(options, io.signal);
    const wanted = options.payload ? 'with_payload' : 'plan_only';
    const what = positionals[WHAT];
    // Of a tool all is said by its arguments, which may be what is piped in.
    const isPiped = !isToolName(what) && options.args !== '-';
    const input = isPiped
      ? await readInput({
          input: process.stdin,
          signal: io.signal,
          clock: systemClock,
          onWaiting: () => io.stderr.write(WAITING_WORDS),
        })
      : '';
    const request = explainRequest(what, args, wanted, input);
    const result = await askDaemon(
      io,
      (client) => client.request('tools/call', { name: TOOL, arguments: request }),
      { as: 'bearer' },
    ).then(readCallResult, (thrown: unknown) => readCallFailure(thrown, TOOL));
    const { text, envelope, exit } = result;
    if (exit !== 0) {
      if (options.json) printAsIs(io, envelope);
      else {
        const told = failureLines(failureIn(envelope, text), cliRenderer);
        io.stderr.write(harmless(`exai: ${told}${hintFor(envelope, request)}\n`));
      }
      return exit;
    }
    const { content } = envelope as { content?: { error?: { class?: unknown } } };
    if (options.json) printAsIs(io, content);
    else io.stdout.write(`${paintExplanation(text, io.paint)}\n`);
    return exitOf(content?.error?.class);
  },
});

/** A question of one word looks like the name of a tool. */
function hintFor(envelope: unknown, { tool, args }: ExplainRequest): string {
  const { error_class: errorClass } = envelope as Partial<Envelope>;
  const isAlone = errorClass === 'not_found' && Object.keys(args).length === 0;
  return isAlone ? `\n  as a question: ${asQuestion(tool)}` : '';
}

function exitOf(errorClass: unknown): number {
  return typeof errorClass === 'string' && isErrorClass(errorClass)
    ? ERROR_POLICY[errorClass].exit
    : 0;
}
