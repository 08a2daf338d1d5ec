import { isErrorAnswer } from './rpc-line.ts';

export interface Introduction {
  /** The client asked for `initialize`, and what came of it. */
  asked(line: string): void;
  answered(line: string): void;
  /** The client said that it is initialised. */
  confirmed(line: string): void;
  /** What to ask of the next daemon, once one has accepted it. */
  readonly request: string | undefined;
  readonly confirmation: string | undefined;
  /** Whether this is how the client asked. */
  isRequest(line: string): boolean;
  /** Whether an answer by this id is the next daemon's to that request. */
  isAnswer(key: string): boolean;
}

const REPLAYED_ID = 'exai-shim-initialize';
const REPLAYED_KEY = JSON.stringify(REPLAYED_ID);

/** How a client presented itself, kept for every daemon that comes later. */
export function createIntroduction(): Introduction {
  let initialize: string | undefined;
  let confirmation: string | undefined;
  let isAccepted = false;
  return {
    asked: (line) => void (initialize = line),
    answered: (line) => void (isAccepted = !isErrorAnswer(line)),
    confirmed: (line) => void (confirmation = line),
    get request() {
      if (!isAccepted || initialize === undefined) return undefined;
      return JSON.stringify({ ...(JSON.parse(initialize) as object), id: REPLAYED_ID });
    },
    get confirmation() {
      return confirmation;
    },
    isRequest: (line) => line === initialize,
    isAnswer: (key) => key === REPLAYED_KEY,
  };
}
