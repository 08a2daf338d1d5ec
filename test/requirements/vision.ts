/** Promises about pictures and videos. */
export const VISION_REQUIREMENTS = {
  'vision:scaled':
    'A picture over a limit of a provider is scaled for it, turned as its metadata say and without them; a notice says so.',
  'vision:refused':
    'A picture that cannot be scaled is refused with the limit that it exceeds, and nothing is sent.',
  'vision:tool':
    'describe_image answers about pictures in every form, several at once, and finds them again in the conversation.',
  'vision:fetched':
    'A picture named by its address is fetched by the daemon, from public hosts only, redirects included.',
  'vision:gateway':
    'A picture that a client of the gateway names by its address is fetched by the daemon, from public hosts only, and sent as bytes; all of one request have at most 48 MB.',
  'vision:faults':
    'Questions about pictures are answered under every fault of a provider, or fail with a typed error.',
  'vision:scans':
    'The text of a picture of a page is recognised before a model is asked, which gets the picture, too.',
} as const;
