/**
 * A part of the outside world: it answers under its prefix as the vendor does, and knows how the
 * vendor fails.
 */
export interface Vendor<Switches extends object = object> {
  readonly name: string;
  /** Such as `/kimi/v1`; what comes after it is the vendor's business. */
  readonly prefix: string;
  /** Where the vendor's own documents contradict each other: which of them is true today. */
  readonly switches: Switches;
  /** Forgets everything and puts the switches back. */
  reset(): void;
  handle(ask: Ask, reply: Reply): Promise<void>;
  /** The faults whose answer has this vendor's own words; the rest are the frame's. */
  readonly faults: Readonly<Record<string, FaultAnswer>>;
  /** What `with` of a fault may hold, by its id. Of a fault that is not here anything is taken. */
  readonly faultOptions?: Readonly<Record<string, readonly string[]>>;
}

/** Answers instead of the vendor, or lets the request through, to be answered in a faulty way. */
export type FaultAnswer = (
  ask: Ask,
  reply: Reply,
  fault: Fault,
) => Promise<'answered' | 'through'> | 'answered' | 'through';

/** One fault of the list, planned by `POST /_faults` or by the header `x-emulate-fault`. */
export interface Fault {
  /** `F5`, or one of its kinds: `F5.cut`. */
  readonly id: string;
  /** Whose requests; everyone's when absent. */
  readonly vendor?: string;
  /** Only of paths that contain this. */
  readonly path?: string;
  /** How many requests it affects; default: 1, 0 for all. */
  readonly times?: number;
  /** Events of a stream that get through before it strikes. */
  readonly after?: number;
  /** What the fault itself wants to know, such as `seconds` of a retry hint. */
  readonly with?: Readonly<Record<string, unknown>>;
}

export interface Ask {
  readonly method: string;
  /** Below the vendor's prefix, with its leading slash and without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Of a `multipart/form-data` body; empty otherwise. */
  readonly form: readonly FormPart[];
  /** The body as JSON; `undefined` when it is none. */
  readonly json: unknown;
  /** The fault that was let through, for the vendor to answer accordingly. */
  readonly fault: Fault | undefined;
  /** Milliseconds since the epoch, as the emulator is told. */
  now(): number;
  /** Aborts when the client has gone. */
  readonly gone: AbortSignal;
}

export interface FormPart {
  readonly name: string;
  readonly filename: string | undefined;
  readonly type: string | undefined;
  readonly data: Buffer;
}

export type Headers = Readonly<Record<string, string>>;

export interface Reply {
  json(status: number, body: unknown, headers?: Headers): Promise<void>;
  raw(status: number, body: string | Buffer, headers: Headers): Promise<void>;
  /** Begins a stream of events; the faults of streams happen in it. */
  sse(headers?: Headers): SseWriter;
}

export interface SseWriter {
  /**
   * `data: {…}`; `name` adds an `event:` line. Resolves when it is written, or when nothing will be
   * any more.
   */
  event(data: unknown, name?: string): Promise<void>;
  comment(text: string): Promise<void>;
  /** `data: [DONE]` and the end. */
  done(): Promise<void>;
  /** The end without `[DONE]`. */
  end(): Promise<void>;
}
