/** What `tool_help` says of chat. */
export const CHAT_HELP = `What comes back:
- status success: content is the answer as a text; an object with text, finish and citations where there are sources or notices, or where it was cut at its limit (finish: length).
- status degraded: no model answered, and what was given is quoted, word for word.
- status error: nobody answered; error_class and detail say why, and nothing is kept.
- provider, model, usage and route of the envelope say who answered, what it took, and why it was that one.
- continuation.id: give it as continuation_id to chat or any other tool to go on; the model that answered is asked again unless you name one.

A path that cannot be read is an error before anybody is asked. It takes 5 minutes at most.`;
