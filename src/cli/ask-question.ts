import type { Readable } from 'node:stream';
import { systemClock } from '#app/system.ts';
import type { Progress } from '#core/call.ts';
import type { Envelope } from '#core/envelope.schema.ts';
import { ERROR_POLICY } from '#core/error-class.ts';
import type { SentNotice } from '#core/messages/notices-wire.ts';
import { answerLine } from './answer-line.ts';
import { createAnswerWriter } from './answer-writer.ts';
import { checkSize, questionArgs } from './ask-args.ts';
import { askDaemon, tellNotices } from './ask-daemon.ts';
import { failureOf, readCallFailure, readCallResult, type CallResult } from './call-result.ts';
import { listenForInterrupt } from './interrupt.ts';
import type { Io } from './io.ts';
import { isUnderWay } from './job-envelope.ts';
import { tellHandedOff } from './job-handed-off.ts';
import { askRenderer } from './messages/cli-sentences.ts';
import { besideAnswer, pageText, routeNotices, textsOf } from './messages/notice-texts.ts';
import { paintFor } from './paint.ts';
import { printAsIs } from './print-as-is.ts';
import { createProgressLine } from './progress-line.ts';
import { isEmptyHanded, quotationLine } from './quotation-line.ts';
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
    let notices: readonly SentNotice[] = [];
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
      io.stderr.write(`exai: ${failureOf(answer, askRenderer)}\n`);
    }
    tellNotices(
      io,
      notices.map(({ text }) => text),
    );
    const left = tellHandedOff(io, answer, { format, what: 'answer' });
    if (left !== undefined) return left;
    if (format === 'words') tellHow(io, answer);
    const isAnswer = answer.exit !== 0 || !isEmptyHanded(answer.envelope as Partial<Envelope>);
    return isAnswer ? answer.exit : ERROR_POLICY.not_configured.exit;
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

/** What belongs to the answer, and is not it. */
function tellHow(io: Pick<Io, 'stderr' | 'env' | 'progress'>, answer: Answer): void {
  const paint = paintFor(io.env, io.progress === 'live' ? 'terminal' : 'file');
  const envelope = answer.envelope as Partial<Envelope>;
  const { status, continuation } = envelope;
  const { line, notices } =
    status === 'degraded'
      ? quotationLine(envelope, askRenderer)
      : {
          line: answerLine(envelope),
          notices: textsOf(routeNotices(envelope), askRenderer),
        };
  // Of a failure it has been said already.
  const beside = status === 'error' ? [] : besideAnswer(envelope, askRenderer);
  const told = [...beside, ...notices, ...pageText(envelope, askRenderer)];
  for (const sentence of new Set(told)) io.stderr.write(`exai: ${harmless(sentence)}\n`);
  if (line !== '') io.stderr.write(`${paint('dim', harmless(line))}\n`);
  // Only somebody at a terminal goes on by hand.
  if (continuation && io.progress === 'live') {
    const onward = `Go on with it: exai chat --resume ${harmless(continuation.id)}`;
    io.stderr.write(`${paint('dim', onward)}\n`);
  }
}
