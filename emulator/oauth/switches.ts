import { createSwitches } from '../switches.ts';

/* oxlint-disable-next-line typescript/consistent-type-definitions -- a record of values */
export type OAuthSwitches = {
  /** How long a token is valid. */
  tokenSeconds: number;
  /** Whether a refresh gives a new refresh token, and the old one works no more. */
  rotation: boolean;
  /** Whether clients can register themselves. */
  registration: boolean;
  /** Whether a client may be the address of a document. */
  documents: boolean;
  /** Whether any port of a loopback redirect address is accepted, as RFC 8252 wants. */
  anyPort: boolean;
};

export function createOAuthSwitches() {
  return createSwitches<OAuthSwitches>({
    tokenSeconds: 3600,
    rotation: true,
    registration: true,
    documents: false,
    anyPort: true,
  });
}
