/** What `tool_help` says of apilookup. */
export const APILOOKUP_HELP = `Name what you need and for what: the library or API, the language, the version you have, and what you want to do with it.

What comes back:
- status success: content has text, finish, citations where there are any, and lookup.
- lookup cited: the answer stands with its sources. uncited: the web was there to be searched, but no source was named. none: who answered cannot search, so it is what the model knew; detail says so.
- status error: nobody answered; error_class and detail say why, and nothing is kept.
- continuation.id: give it as continuation_id to go on, here or in any other tool.

The web is searched by the provider of the model that answers; there is nothing for you to search. It takes 5 minutes at most.`;
