import type { Readable } from 'node:stream';
import { systemClock } from '#app/system.ts';
import type { Progress } from '#core/call.ts';
import type { Envelope } from '#core/envelope.schema.ts';
import { ERROR_POLICY } from '#core/error-class.ts';
import { answerLine } from './answer-line.ts';
import { createAnswerWriter } from './answer-writer.ts';
import { checkSize, questionArgs } from './ask-args.ts';
import { askDaemon, tellNotices } from './ask-daemon.ts';
import { readCallFailure, readCallResult, type CallResult } from './call-result.ts';
import { flagWords } from './flag-words.ts';
import { listenForInterrupt } from './interrupt.ts';
import type { Io } from './io.ts';
import { isUnderWay } from './job-envelope.ts';
import { tellHandedOff } from './job-handed-off.ts';
import { paintFor } from './paint.ts';
import { printAsIs } from './print-as-is.ts';
import { createProgressLine } from './progress-line.ts';
import { hasQuotation, quotationLine } from './quotation-line.ts';
import { readInput, WAITING_WORDS } from './read-input.ts';
import { harmless } from './terminal-text.ts';

export interface Asked {
  /** Absent when it is to be read from the input. */
  readonly question: string | undefined;
  /** Further arguments of the tool. */
  readonly wishes: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
  readonly format: 'words' | 'json';
}

/** The answer as it was written stands apart from what came beside it. */
type Answer = CallResult & { readonly written: string };

const TOOL = 'chat';

/** Asks, shows the answer as it comes where somebody watches, and gives the exit code. */
export async function askQuestion(asked: Asked, io: Io, input: Readable): Promise<number> {
  const { question, format } = asked;
  // A question without words is refused before anybody waits for what is piped in.
  if (question !== undefined) questionArgs(question, '');
  const interrupt = listenForInterrupt(io.signal);
  const progress = createProgressLine(io, systemClock);
  const writer = createAnswerWriter(io.stdout);
  const isWatched = format === 'words' && io.width !== undefined;
  const onProgress = (step: Progress) => {
    if (step.text !== undefined && isWatched) {
      progress.clear();
      writer.add(step.text);
    } else if (!writer.hasBegun) progress.show(step);
  };
  try {
    const { signal } = interrupt;
    const onWaiting = () => io.stderr.write(WAITING_WORDS);
    const text = await readInput({ input, signal, clock: systemClock, onWaiting });
    const args = { ...questionArgs(question, text), ...asked.wishes };
    checkSize(args);
    let notices: readonly string[] = [];
    const answer = await askDaemon(
      io,
      (client) => {
        ({ notices } = client);
        return client.request(
          'tools/call',
          { name: TOOL, arguments: args },
          {
            signal,
            timeoutMs: asked.timeoutMs,
            onProgress,
            ...(isWatched && { text: 'streamed' }),
          },
        );
      },
      { notices: 'left to the work', as: 'bearer' },
    ).then(readAnswer, readFailure);
    progress.clear();
    if (format === 'json') printAsIs(io, answer.envelope);
    else if (isUnderWay(answer.envelope)) writer.breakOff();
    else if (answer.exit === 0) writer.finish(answer.written);
    else {
      writer.breakOff();
      io.stderr.write(`exai: ${flagWords(answer.text)}\n`);
    }
    tellNotices(io, notices);
    const left = tellHandedOff(io, answer, { format, what: 'answer' });
    if (left !== undefined) return left;
    if (format === 'words') tellHow(io, answer);
    return isEmptyHanded(answer) ? ERROR_POLICY.not_configured.exit : answer.exit;
  } finally {
    progress.clear();
    writer.breakOff();
    interrupt.stop();
  }
}

function readAnswer(result: unknown): Answer {
  const { content } = result as { content?: readonly { text?: unknown }[] };
  const first = Array.isArray(content) ? content[0] : undefined;
  const written = typeof first?.text === 'string' ? first.text : '';
  return { ...readCallResult(result), written };
}

function readFailure(thrown: unknown): Answer {
  return { ...readCallFailure(thrown, TOOL), written: '' };
}

/** No model, and nothing to quote: whoever goes on with it, such as a script, must not take that for an answer. */
function isEmptyHanded({ envelope, written, exit }: Answer): boolean {
  const { status } = envelope as Partial<Envelope>;
  return exit === 0 && status === 'degraded' && !hasQuotation(written);
}

/** What belongs to the answer, and is not it. */
function tellHow(io: Pick<Io, 'stderr' | 'env' | 'progress'>, answer: Answer): void {
  const paint = paintFor(io.env, io.progress === 'live' ? 'terminal' : 'file');
  const envelope = answer.envelope as Partial<Envelope>;
  const { status, detail, continuation } = envelope;
  const { line, notices } =
    status === 'degraded'
      ? quotationLine(envelope, isEmptyHanded(answer) ? 'nothing' : 'something')
      : { line: answerLine(envelope), notices: envelope.route?.notices ?? [] };
  // Of a failure it has been said already.
  const told = [...(status === 'error' || detail === undefined ? [] : [detail]), ...notices];
  for (const sentence of new Set(told)) io.stderr.write(`exai: ${flagWords(harmless(sentence))}\n`);
  if (line !== '') io.stderr.write(`${paint('dim', flagWords(harmless(line)))}\n`);
  // Only somebody at a terminal goes on by hand.
  if (continuation && io.progress === 'live') {
    const onward = `Go on with it: exai chat --resume ${harmless(continuation.id)}`;
    io.stderr.write(`${paint('dim', onward)}\n`);
  }
}
