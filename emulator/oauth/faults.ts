import type { Ask, FaultAnswer } from '../vendor.ts';

/** Let through: the part that it is about answers accordingly. */
const through: FaultAnswer = () => 'through';

export const OAUTH_FAULTS: Readonly<Record<string, FaultAnswer>> = {
  // The server says that the token has expired.
  'F25.expired': through,
  // The refresh token is revoked.
  'F25.revoked': through,
  // The token is for another server.
  'F25.audience': through,
  // The browser comes back with the issuer of another authorization server.
  'F25.issuer': through,
  // The metadata name another issuer.
  'F25.metadataissuer': through,
  // PKCE is not supported.
  'F25.nos256': through,
  // Clients are not registered.
  'F25.noregistration': through,
  // The metadata of the server are for another server.
  'F25.resource': through,
  // The server names an authorization server in a private network.
  'F25.private': through,
  // Metadata that are a page.
  'F25.garbage': through,
  // Metadata of 100 MB.
  'F25.huge': through,
  // Metadata that redirect to themselves.
  'F25.loop': through,
  // The user refuses.
  'F25.denied': through,
  // More scopes are wanted, whatever the token has.
  'F25.scope': through,
  // Its errors quote the token of the request.
  'F25.echo': through,
  // It names thousands of scopes.
  'F25.manyscopes': through,
  // The token endpoint is not encrypted, and on another machine.
  'F25.plain': through,
};

export const hasFault = ({ fault }: Pick<Ask, 'fault'>, kind: string): boolean =>
  fault?.id === `F25.${kind}`;
