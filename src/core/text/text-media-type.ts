const TEXT =
  /^(?:text\/[\w.+-]+|application\/(?:(?:[\w.-]+\+)?(?:json|xml|yaml)|jsonl|x-ndjson|json5|x-yaml|toml|csv|markdown|sql|graphql|javascript|x-javascript|typescript|x-typescript|ecmascript|x-sh|x-httpd-php|x-tex|x-latex))$/i;

/** Whether a media type is textual; parameters such as `charset` are ignored. */
export function isTextMediaType(mediaType: string): boolean {
  return TEXT.test((mediaType.slice(0, 200).split(';', 1)[0] ?? '').trim());
}
