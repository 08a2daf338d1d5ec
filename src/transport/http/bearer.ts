import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether `Authorization: Bearer …` carries the token, in a time that tells nothing about it. */
export function bearsToken(header: string | undefined, token: string): boolean {
  const given = /^Bearer +(.+)$/i.exec(header ?? '')?.[1];
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

/** Equal lengths, as the comparison needs them, whatever was sent. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
