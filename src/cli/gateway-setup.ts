/** What to give where a tool asks for the key of the gateway. */
export type GatewayKey =
  /** Nobody is asked for one, but tools insist on a text. */
  | { readonly is: 'none' }
  /** It is in this variable of whoever starts the tool; `setBy` is the command whose output it is set to. */
  | { readonly is: 'variable'; readonly name: string; readonly setBy?: TokenCommand }
  | { readonly is: 'shown'; readonly value: string };

/** Prints the owner's token, so that it stands neither in what is printed here nor in a history of commands. */
export interface TokenCommand {
  readonly argv: readonly string[];
  /** EXAI_HOME, where it is set here and may not be set where the command runs. */
  readonly home?: string;
}

/** What every tool has to be told. */
export interface Gateway {
  /** Without a path: `http://127.0.0.1:8765`. */
  readonly url: string;
  readonly model: string;
  readonly key: GatewayKey;
  /** How long a tool shall wait: a little longer than the gateway takes at most, so that it hears why. */
  readonly patienceMs: number;
}

/** The text itself, the variable that has it, or the command that prints it. */
export type Value = string | { readonly from: string } | { readonly command: TokenCommand };

export interface Variables {
  readonly is: 'variables';
  readonly set: Readonly<Record<string, Value>>;
  /** Those that would win over one of these. */
  readonly unset: readonly string[];
}

export interface FilePart {
  readonly is: 'file';
  readonly path: string;
  readonly text: string;
}

/** How a tool is pointed at the gateway. */
export type Setup = Variables | FilePart;

/** The word that counts as no key. */
const NO_KEY = 'local';

/** What has to be set before the others refer to it. */
export function keyAssignment(key: GatewayKey): Variables['set'] {
  return key.is === 'variable' && key.setBy ? { [key.name]: { command: key.setBy } } : {};
}

export function keyValue(key: GatewayKey): string | { readonly from: string } {
  switch (key.is) {
    case 'none':
      return NO_KEY;
    case 'variable':
      return { from: key.name };
    case 'shown':
      return key.value;
  }
}
