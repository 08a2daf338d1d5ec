/** Invisible characters at the start. */
const UNSEEN = /^[\s\p{Cc}\p{Cf}\p{Z}]*/u;

/**
 * Makes a file name safe as the name of an attachment: it must not look like our own names, which
 * are in brackets.
 */
export function attachmentName(name: string): string {
  return name.replace(UNSEEN, '').startsWith('[') ? `./${name}` : name;
}
