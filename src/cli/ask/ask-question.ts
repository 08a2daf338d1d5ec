import type { Readable } from 'node:stream';
import { systemClock } from '#app/system.ts';
import type { Progress } from '#core/calls/call.ts';
import type { Envelope } from '#core/calls/envelope.schema.ts';
import { ERROR_POLICY } from '#core/errors/error-class.ts';
import { isNotice } from '#core/messages/notices.ts';
import type { SentNotice } from '#core/messages/notices-wire.ts';
import { baseRenderer } from '#core/messages/render.ts';
import {
  formatCallFailure,
  callFailureResult,
  readCallResult,
  unrecordedAnswer,
  type ToolCallResult,
} from '../call-result.ts';
import { paintFor } from '../format/colors.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { createProgressLine } from '../format/progress.ts';
import { listenForInterrupt } from '../interrupt.ts';
import { printRawJson, type Io } from '../io.ts';
import { isJobRunning, reportDetachedJob } from '../jobs/job-result.ts';
import { createMarkdownWriter, rendersMarkdown } from '../markdown/markdown-writer.ts';
import { askRenderer } from '../messages/cli-sentences.ts';
import {
  renderAnswerNotices,
  renderPageHint,
  routeNotices,
  renderNoticeTexts,
} from '../messages/notice-texts.ts';
import type { CallWait } from '../number-options.ts';
import {
  readStdin,
  readStdinBytes,
  WAITING_FOR_STDIN,
  type ReadStdinOptions,
} from '../read-stdin.ts';
import { runWithDaemon, printNotices } from '../run-with-daemon.ts';
import {
  formatAnswerFooter,
  formatExtractiveFooter,
  hasNothingQuoted,
  isKeyMissing,
} from './answer-footer.ts';
import { describeOtherVendorKeys, useOtherVendorKeys } from '#config/secrets/other-vendor-keys.ts';
import { createAnswerWriter } from './answer-writer.ts';
import { checkMessageSize, citedArgs, questionArgs, type QuestionArgs } from './ask-args.ts';
import {
  nothingPipedError,
  stdinDocument,
  stdinImage,
  type AskAttachments,
} from './attachments.ts';

export interface AskQuestionOptions {
  /** Undefined: read from standard input. */
  readonly question: string | undefined;
  readonly attachments?: AskAttachments;
  /** `file_chat` checks what the answer cites. */
  readonly tool?: 'chat' | 'file_chat';
  /** Further arguments of the tool. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly wait: CallWait;
  readonly format: 'text' | 'json';
  /** `raw`: the answer is shown as it was written. */
  readonly display?: 'rendered' | 'raw';
  /** The current width of the terminal. */
  readonly columns?: () => number | undefined;
}

/** A result with the text of the answer alone, without notices. */
type Answer = ToolCallResult & { readonly written: string };

/** Asks a question, streams the answer at a terminal, and resolves to the exit code. */
export async function askQuestion(
  options: AskQuestionOptions,
  io: Io,
  input: Readable,
): Promise<number> {
  const { question, format, attachments, tool = 'chat' } = options;
  // An empty question is rejected before standard input is read.
  if (question !== undefined || (attachments && attachments.stdin !== 'text')) {
    questionArgs(question, '', attachments);
  }
  const interrupt = listenForInterrupt(io.signal);
  const progress = createAskProgress(io, format);
  const isUnchanged = options.display === 'raw' && io.width === undefined;
  const output = {
    write(text: string) {
      progress.clear();
      (isUnchanged ? io.documents : io.stdout).write(text);
    },
  };
  const writer = rendersMarkdown(io, options.display ?? 'rendered')
    ? createMarkdownWriter({
        output,
        io,
        columns: options.columns ?? (() => io.width),
        onHold: (what) => progress.show({ note: `writing a ${what}` }),
      })
    : createAnswerWriter(output, isUnchanged ? 'unchanged' : 'escaped');
  const isInteractive = format === 'text' && io.width !== undefined;
  const onProgress = (step: Progress) => {
    if (step.text !== undefined && isInteractive) writer.add(step.text);
    else if (!writer.hasBegun) progress.show(step);
  };
  try {
    const { signal } = interrupt;
    const onWaiting = () => io.stderr.write(WAITING_FOR_STDIN);
    const stdin = { input, signal, clock: systemClock, onWaiting };
    const asked = await readQuestion(question, attachments, stdin);
    const args = { ...(tool === 'chat' ? asked : citedArgs(asked)), ...options.args };
    checkMessageSize(args);
    progress.show({ note: 'asking' });
    let notices: readonly SentNotice[] = [];
    const answer = await runWithDaemon(
      io,
      (client) => {
        ({ notices } = client);
        return client.request(
          'tools/call',
          { name: tool, arguments: args },
          {
            signal,
            ...options.wait,
            onProgress,
            ...(isInteractive && { text: 'streamed' }),
          },
        );
      },
      { noticeOutput: 'skip', as: 'bearer' },
    ).then(readAnswer, (thrown: unknown) => readFailure(thrown, tool));
    progress.clear();
    if (format === 'json') printRawJson(io, answer.envelope);
    else if (isJobRunning(answer.envelope)) writer.breakOff();
    else if (answer.exit === 0) writer.finish(answer.written);
    else {
      const paid = unrecordedAnswer(answer);
      if (paid === undefined) writer.breakOff();
      else writer.finish(paid);
      io.stderr.write(`exai: ${formatCallFailure(answer, askRenderer)}\n`);
    }
    printNotices(
      io,
      notices.map(({ text }) => text),
    );
    const left = reportDetachedJob(io, answer, { format, what: 'answer' });
    if (left !== undefined) return left;
    if (format === 'text') printFooter(io, answer);
    const isAnswer = answer.exit !== 0 || !hasNothingQuoted(answer.envelope as Partial<Envelope>);
    return isAnswer ? answer.exit : ERROR_POLICY.not_configured.exit;
  } finally {
    progress.clear();
    writer.breakOff();
    interrupt.stop();
  }
}

/** At a terminal a line moves until the first word; elsewhere there is none. */
function createAskProgress(
  io: Pick<Io, 'stderr' | 'progress' | 'charset' | 'env'>,
  format: AskQuestionOptions['format'],
) {
  if (io.progress !== 'live' || format === 'json') {
    return { show: () => undefined, clear: () => undefined };
  }
  return createProgressLine(io, systemClock, paintFor(io.env, 'terminal'));
}

/** Reads standard input, and puts together what is asked. */
async function readQuestion(
  question: string | undefined,
  attachments: AskAttachments | undefined,
  stdin: ReadStdinOptions,
): Promise<QuestionArgs> {
  if (attachments?.stdin === 'image') {
    const image = stdinImage(await readStdinBytes(stdin));
    return questionArgs(question, '', { ...attachments, images: [...attachments.images, image] });
  }
  if (attachments?.stdin !== 'file') {
    return questionArgs(question, await readStdin(stdin), attachments);
  }
  const bytes = await readStdinBytes(stdin);
  const file = stdinDocument(bytes);
  if (file)
    return questionArgs(question, '', { ...attachments, files: [...attachments.files, file] });
  const text = Buffer.from(bytes).toString('utf8');
  if (text.trim() === '') throw nothingPipedError('--file');
  return questionArgs(question, text, attachments);
}

function readAnswer(result: unknown): Answer {
  const { content } = result as { content?: readonly { text?: unknown }[] };
  const first = Array.isArray(content) ? content[0] : undefined;
  const written = typeof first?.text === 'string' ? first.text : '';
  const answer = readCallResult(result);
  return { ...answer, written: withoutNotices(written, answer.envelope) };
}

/** Notices are printed to stderr; the text of a result has them, too, for other clients. */
function withoutNotices(text: string, envelope: unknown): string {
  const { notice_data: data } = (envelope ?? {}) as Partial<Envelope>;
  const notices = Array.isArray(data) ? data.filter(isNotice) : [];
  const shown = notices.map((each) => `\n\n[${baseRenderer.notice(each)}]`).join('');
  const at = shown === '' ? -1 : text.lastIndexOf(shown);
  return at === -1 ? text : text.slice(0, at) + text.slice(at + shown.length);
}

function readFailure(thrown: unknown, tool: string): Answer {
  return { ...callFailureResult(thrown, tool), written: '' };
}

/** Prints notices and the footer to stderr. */
function printFooter(io: Pick<Io, 'stderr' | 'env' | 'progress'>, answer: Answer): void {
  const paint = paintFor(io.env, io.progress === 'live' ? 'terminal' : 'file');
  const envelope = answer.envelope as Partial<Envelope>;
  const { status, continuation } = envelope;
  const { line, notices } =
    status === 'degraded'
      ? formatExtractiveFooter(envelope, askRenderer)
      : {
          line: formatAnswerFooter(envelope),
          notices: renderNoticeTexts(routeNotices(envelope), askRenderer),
        };
  // The failure has been printed already.
  const beside = status === 'error' ? [] : renderAnswerNotices(envelope, askRenderer);
  const sentences = [...beside, ...notices, ...renderPageHint(envelope, askRenderer)];
  for (const sentence of new Set(sentences)) io.stderr.write(`exai: ${escapeControls(sentence)}\n`);
  if (line !== '') io.stderr.write(`${paint('dim', escapeControls(line))}\n`);
  const others = isKeyMissing(envelope) ? describeOtherVendorKeys(io.env) : '';
  if (others !== '') {
    io.stderr.write(
      `exai: ${others} in your environment is not used. ${useOtherVendorKeys(io.env)}\n`,
    );
  }
  // The hint to continue is for a terminal only.
  if (continuation && io.progress === 'live') {
    const onward = `Continue: exai chat --resume ${escapeControls(continuation.id)}`;
    io.stderr.write(`${paint('dim', onward)}\n`);
  }
}
