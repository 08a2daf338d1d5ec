/** Another form of a sealed state. */
export interface ForgedState {
  readonly name: string;
  readonly state: string;
}

/** Every way in which a state may come back other than it was given out. */
export function forgedStates(state: string, principal: string): readonly ForgedState[] {
  const [body = '', signature = ''] = state.split('.');
  const sealed = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>;
  const resealed = (more: object) =>
    `${Buffer.from(JSON.stringify({ ...sealed, ...more })).toString('base64url')}.${signature}`;
  const answers = { 'exai.consent': { action: 'accept', content: {} } };
  return [
    { name: 'another principal', state: resealed({ principal }) },
    { name: 'the owner as principal', state: resealed({ principal: 'local' }) },
    { name: 'no credential', state: resealed({ credential: '' }) },
    { name: 'another tool', state: resealed({ tool: 'threads' }) },
    { name: 'answers put in', state: resealed({ answers }) },
    { name: 'nothing asked', state: resealed({ asked: [] }) },
    { name: 'a later time', state: resealed({ askedAt: Date.now() + 86_400_000 }) },
    { name: 'no signature', state: body },
    { name: 'an empty signature', state: `${body}.` },
    { name: 'half a signature', state: `${body}.${signature.slice(0, 20)}` },
    { name: 'a signature of zeros', state: `${body}.${'A'.repeat(43)}` },
    { name: 'a padded signature', state: `${body}.${signature}=` },
    { name: 'another spelling of the signature', state: `${body}.${respelled(signature)}` },
    { name: 'two signatures', state: `${body}.${signature}.${signature}` },
    { name: 'a letter more', state: `${body}A.${signature}` },
    { name: 'null', state: `${Buffer.from('null').toString('base64url')}.${signature}` },
    { name: 'a prototype', state: resealed({ ['__proto__']: { principal } }) },
    { name: 'nonsense', state: 'nonsense' },
    { name: 'very long', state: 'A'.repeat(600_000) },
  ];
}

/** The last letter of 32 bytes in base64url has two bits that say nothing. */
function respelled(signature: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = letters.indexOf(signature.slice(-1));
  return `${signature.slice(0, -1)}${letters[last ^ 1] ?? ''}`;
}
