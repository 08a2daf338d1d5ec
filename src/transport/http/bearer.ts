/** The token of `Authorization: Bearer …`. */
export function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer +(.+)$/i.exec(header ?? '')?.[1];
}
