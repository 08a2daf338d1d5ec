import type { ClientCapability } from '../tools/input-request.ts';
import { ERROR_POLICY, isErrorClass, type ErrorClass, type ErrorPolicy } from './error-class.ts';
import { advice, isFix, type Fix } from '../messages/fixes.ts';
import type { Reason } from '../messages/reasons.ts';
import { renderFixes } from '../messages/render-fixes.ts';

export interface ErrorFacts {
  /** The argument or setting at fault, as the user wrote it. */
  field?: string;
  /** What the message says, as data. */
  reason?: Reason;
  /** How to fix it, best alternative first. A string is a fix that is a plain sentence. */
  fixes?: readonly (Fix | string)[];
  /** Shorthand for one fix that is a plain sentence. */
  fix?: string;
  /** Do not retry before this many milliseconds from now. */
  retryAfterMs?: number;
  provider?: string;
  model?: string;
  /** The model's context window, as the vendor's refusal stated it. */
  contextTokens?: number;
  /**
   * What the vendor itself said, without keys and accounts. For the code of its provider; never
   * sent or shown by itself.
   */
  vendorText?: string;
  /** Client capabilities that the call needs and the client did not declare. */
  lacks?: readonly ClientCapability[];
  /** Overrides the policy of the class: the same request to the same model would fail again. */
  retry?: 'never';
  /** `request`: caused by this request, so it says nothing about the health of the model. */
  dueTo?: 'request';
  cause?: unknown;
}

/** The serialised error, for wires and worker threads: no stack, no cause. */
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
  lacks?: readonly ClientCapability[];
}

/**
 * The one error type. Its message is written for the person or model that reads it and holds no
 * secret and no file content, so every transport may show it; foreign errors stay in `cause`, for
 * the log only.
 */
export class CallError extends Error {
  readonly class: ErrorClass;
  /** The message as data, so that a surface can render it differently. */
  readonly reason: Reason | undefined;
  readonly field: string | undefined;
  readonly fixes: readonly Fix[];
  readonly retryAfterMs: number | undefined;
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly contextTokens: number | undefined;
  readonly vendorText: string | undefined;
  readonly lacks: readonly ClientCapability[] | undefined;
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
    this.vendorText = facts.vendorText;
    this.lacks = facts.lacks;
    this.retry = facts.retry;
    this.dueTo = facts.dueTo;
  }

  get policy(): ErrorPolicy {
    return ERROR_POLICY[this.class];
  }

  /** The fixes as text for MCP; other surfaces render `fixes` themselves. */
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
    const { fixes, reason, ...facts } = json;
    // Another version may send kinds of fixes that this one does not know; their text is still
    // readable.
    const isKnown = Array.isArray(fixes) && fixes.every(isFix) && canRender(fixes);
    return new CallError(errorClass, json.message, {
      ...facts,
      ...(isCoded(reason) && { reason }),
      ...(isKnown && { fixes }),
    });
  }

  /** All facts except the cause and the reason, for an error with another message. */
  facts(): ErrorFacts {
    const { reason: _, ...known } = this.known();
    return Object.fromEntries(
      Object.entries(known).filter(([, value]) => value !== undefined),
    ) as ErrorFacts;
  }

  private known() {
    const { reason, field, retryAfterMs, provider, model, contextTokens, vendorText, lacks } = this;
    const { retry, dueTo } = this;
    const fixes = this.fixes.length === 0 ? undefined : this.fixes;
    return {
      reason,
      field,
      fixes,
      retryAfterMs,
      provider,
      model,
      contextTokens,
      vendorText,
      lacks,
      retry,
      dueTo,
    };
  }

  /** The same error with missing facts added. */
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

  /**
   * Converts anything thrown into a CallError; the only place that does. The facts fill gaps and
   * never replace existing ones.
   */
  static from(thrown: unknown, facts: ErrorFacts = {}): CallError {
    if (thrown instanceof CallError) return thrown.filled(facts);
    const system = systemFailure(thrown);
    if (system) {
      const { class: errorClass, what, path } = system;
      const message = path === undefined ? what : `${what}: "${path}"`;
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

/** A known kind may lack the parameters that its text needs. */
function canRender(fixes: readonly Fix[]): boolean {
  try {
    return typeof renderFixes(fixes) === 'string';
  } catch {
    return false;
  }
}

/**
 * The code may be one of another version; surfaces then show the message. The sentences stay
 * unloaded: the shim reads errors, too.
 */
function isCoded(value: unknown): boolean {
  const { code, params } = (value ?? {}) as { readonly code?: unknown; readonly params?: unknown };
  return typeof code === 'string' && typeof params === 'object' && params !== null;
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
  ELOOP: ['validation', 'A link leads back to itself'],
  EMFILE: ['over_capacity', 'Too many open files'],
  ENAMETOOLONG: ['validation', 'The name is too long'],
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
