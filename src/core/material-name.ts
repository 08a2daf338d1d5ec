/** Before the first sign that can be seen. */
const UNSEEN = /^[\s\p{Cc}\p{Cf}\p{Z}]*/u;

/** A file's name among the material of a question: none passes for one of our own, which stand in brackets. */
export function materialName(name: string): string {
  return name.replace(UNSEEN, '').startsWith('[') ? `./${name}` : name;
}
