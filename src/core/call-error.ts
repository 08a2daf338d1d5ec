import type { ClientAbility } from './question.ts';
import { ERROR_POLICY, isErrorClass, type ErrorClass, type ErrorPolicy } from './error-class.ts';
import { advice, isFix, type Fix } from './messages/fixes.ts';
import type { Reason } from './messages/reasons.ts';
import { renderFixes } from './messages/render-fixes.ts';

export interface ErrorFacts {
  /** The argument or setting at fault, as its user wrote it. */
  field?: string;
  /** What the message says, as data. */
  reason?: Reason;
  /** What to do about it, alternatives in order: the best first. A text is a fix that is a plain sentence. */
  fixes?: readonly (Fix | string)[];
  /** Short for one fix that is a plain sentence. */
  fix?: string;
  /** Not before this many milliseconds from now. */
  retryAfterMs?: number;
  provider?: string;
  model?: string;
  /** The window of the model, as its vendor named it when it refused the prompt. */
  contextTokens?: number;
  /** What the call needs of its client, which does not say that it can. */
  lacks?: readonly ClientAbility[];
  /** In place of what the class says: the same request to the same model would fail in the same way. */
  retry?: 'never';
  /** `request`: it follows from what this caller asked for, and says nothing about how the model answers others. */
  dueTo?: 'request';
  cause?: unknown;
}

/** What crosses a wire or a thread: no stack, no cause. */
export interface ErrorJson {
  class: ErrorClass;
  message: string;
  /** What the message says, as data. */
  reason?: Reason;
  field?: string;
  /** The fixes as a text. */
  fix?: string;
  fixes?: readonly Fix[];
  retryAfterMs?: number;
  provider?: string;
  model?: string;
  lacks?: readonly ClientAbility[];
}

/**
 * The one error type. Its message is written for the person or model that reads it and holds no secret and no
 * file content, so every door may show it; what a stranger threw stays in `cause`, for the log alone.
 */
export class CallError extends Error {
  readonly class: ErrorClass;
  /** What the message says, as data, where a surface may say it otherwise. */
  readonly reason: Reason | undefined;
  readonly field: string | undefined;
  readonly fixes: readonly Fix[];
  readonly retryAfterMs: number | undefined;
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly contextTokens: number | undefined;
  readonly lacks: readonly ClientAbility[] | undefined;
  readonly retry: 'never' | undefined;
  readonly dueTo: 'request' | undefined;

  constructor(errorClass: ErrorClass, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = 'CallError';
    this.class = errorClass;
    this.reason = facts.reason;
    this.field = facts.field;
    this.fixes = fixesOf(facts);
    this.retryAfterMs = facts.retryAfterMs;
    this.provider = facts.provider;
    this.model = facts.model;
    this.contextTokens = facts.contextTokens;
    this.lacks = facts.lacks;
    this.retry = facts.retry;
    this.dueTo = facts.dueTo;
  }

  get policy(): ErrorPolicy {
    return ERROR_POLICY[this.class];
  }

  /** The fixes as a text, in the words of MCP; surfaces with words of their own render `fixes`. */
  get fix(): string | undefined {
    return this.fixes.length === 0 ? undefined : renderFixes(this.fixes);
  }

  toJSON(): ErrorJson {
    const { message, reason, field, fix, fixes, retryAfterMs, provider, model, lacks } = this;
    return {
      class: this.class,
      message,
      ...(reason !== undefined && { reason }),
      ...(field !== undefined && { field }),
      ...(fix !== undefined && { fix, fixes }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(provider !== undefined && { provider }),
      ...(model !== undefined && { model }),
      ...(lacks !== undefined && { lacks }),
    };
  }

  static fromJSON(json: ErrorJson): CallError {
    const errorClass = isErrorClass(json.class) ? json.class : 'internal';
    const { fixes, ...facts } = json;
    // Another version may have kinds of fixes that this one does not know; their text is understood by all.
    const isKnown = Array.isArray(fixes) && fixes.every(isFix) && canRender(fixes);
    return new CallError(errorClass, json.message, { ...facts, ...(isKnown && { fixes }) });
  }

  /** Everything it knows, for an error with another message that is to know it, too; without its cause. */
  facts(): ErrorFacts {
    const { reason: _, ...known } = this.known();
    return Object.fromEntries(
      Object.entries(known).filter(([, value]) => value !== undefined),
    ) as ErrorFacts;
  }

  private known() {
    const { reason, field, retryAfterMs, provider, model, contextTokens, lacks, retry, dueTo } =
      this;
    const fixes = this.fixes.length === 0 ? undefined : this.fixes;
    return {
      reason,
      field,
      fixes,
      retryAfterMs,
      provider,
      model,
      contextTokens,
      lacks,
      retry,
      dueTo,
    };
  }

  /** The same error, with what it did not know. */
  private filled({ fix, ...facts }: ErrorFacts): CallError {
    const known = this.known();
    const given = fix === undefined ? facts : { fixes: [advice(fix)], ...facts };
    const gaps = Object.entries(given).filter(
      ([name, value]) =>
        value !== undefined && name in known && known[name as keyof typeof known] === undefined,
    );
    if (gaps.length === 0) return this;
    const whole = new CallError(this.class, this.message, {
      ...(this.reason && { reason: this.reason }),
      ...this.facts(),
      ...(Object.fromEntries(gaps) as ErrorFacts),
      cause: this.cause,
    });
    if (this.stack !== undefined) whole.stack = this.stack;
    return whole;
  }

  /** The only way from something thrown to a class. Facts given here fill gaps; they never replace what the error knew. */
  static from(thrown: unknown, facts: ErrorFacts = {}): CallError {
    if (thrown instanceof CallError) return thrown.filled(facts);
    const system = systemFailure(thrown);
    if (system) {
      const { class: errorClass, what, path } = system;
      const message = path === undefined ? what : `${what}: ${path}`;
      const params = { what, ...(path !== undefined && { path }) };
      const why: Reason = { code: 'system_failure', params };
      return new CallError(errorClass, message, { ...facts, reason: why, cause: thrown });
    }
    const kind = thrown instanceof Error ? thrown.name : typeof thrown;
    return new CallError(
      'internal',
      `Something failed inside EX-AI (${kind}); the log has the details.`,
      {
        ...facts,
        cause: thrown,
      },
    );
  }
}

const NO_FIXES: readonly Fix[] = [];

/** A known kind may come without the parameters that its text needs. */
function canRender(fixes: readonly Fix[]): boolean {
  try {
    return typeof renderFixes(fixes) === 'string';
  } catch {
    return false;
  }
}

function fixesOf({ fix, fixes }: ErrorFacts): readonly Fix[] {
  if (fixes) return fixes.map((each) => (typeof each === 'string' ? advice(each) : each));
  return fix === undefined ? NO_FIXES : [advice(fix)];
}

const SYSTEM: Record<string, readonly [ErrorClass, string]> = {
  ABORT_ERR: ['cancelled', 'The call was cancelled.'],
  EACCES: ['permission', 'Permission denied'],
  EADDRINUSE: ['conflict', 'The address is already in use'],
  EADDRNOTAVAIL: ['validation', 'This machine has no such address'],
  ECONNABORTED: ['network', 'The connection was aborted'],
  ECONNREFUSED: ['network', 'The connection was refused'],
  ECONNRESET: ['network', 'The connection was reset'],
  EDQUOT: ['over_capacity', 'The disk quota is used up'],
  EEXIST: ['conflict', 'It already exists'],
  EHOSTUNREACH: ['network', 'The host cannot be reached'],
  EISDIR: ['validation', 'A folder stands where a file is expected'],
  EMFILE: ['over_capacity', 'Too many open files'],
  ENETUNREACH: ['network', 'The network cannot be reached'],
  ENOENT: ['not_found', 'No such file or folder'],
  ENOSPC: ['over_capacity', 'The disk is full'],
  ENOTDIR: ['validation', 'A file stands where a folder is expected'],
  ENOTFOUND: ['network', 'The host name is unknown'],
  EPERM: ['permission', 'Operation not permitted'],
  EPIPE: ['network', 'The other side hung up'],
  EROFS: ['permission', 'The file system is read-only'],
  ETIMEDOUT: ['timeout', 'The connection timed out'],
  EAI_AGAIN: ['network', 'The host name cannot be looked up now'],
};

interface SystemFailure {
  readonly class: ErrorClass;
  readonly what: string;
  readonly path?: string | undefined;
}

function systemFailure(thrown: unknown): SystemFailure | undefined {
  if (!(thrown instanceof Error)) return undefined;
  if (thrown.name === 'TimeoutError') return { class: 'timeout', what: 'No answer in time.' };
  if (thrown.name === 'AbortError') return { class: 'cancelled', what: 'The call was cancelled.' };
  const { code, path } = thrown as NodeJS.ErrnoException;
  const known = typeof code === 'string' && Object.hasOwn(SYSTEM, code) ? SYSTEM[code] : undefined;
  return known && { class: known[0], what: known[1], path };
}
