/**
 * Words of class names and ids, by what they say about a part of a page. Developers write them in
 * English on sites of every language.
 */
const GROUPS = {
  navigation:
    'nav navbar navigation menu submenu megamenu breadcrumb breadcrumbs crumb crumbs pagination pager paging paginator toc tabs skip skiplink jump',
  header: 'header head masthead topbar top site branding logo',
  footer: 'footer foot copyright legal colophon bottom imprint disclaimer',
  side: 'sidebar side aside rail widget widgets secondary complementary column',
  share:
    'share sharing shares social facebook twitter linkedin pinterest whatsapp follow addthis sociable',
  related:
    'related recommend recommended recommendation recommendations more similar also recirc popular trending latest next prev previous upsell crosssell suggested suggestions readmore teaser teasers outbrain taboola recent viewed',
  promotion:
    'ad ads adv advert advertisement advertising sponsor sponsored promo promotion promoted banner newsletter subscribe subscription signup cta donate paywall offer affiliate',
  overlay:
    'cookie cookies consent gdpr ccpa onetrust modal popup overlay dialog toast tooltip drawer offcanvas lightbox notification notice alert flyout dropdown',
  byline:
    'meta byline author authors date time published updated timestamp dateline credit credits bio contributor writer posted',
  tags: 'tag tags taxonomy category categories topic topics keyword keywords label labels badge badges eyebrow kicker',
  comment:
    'comment comments disqus reply replies respond discussion thread conversation answer answers',
  form: 'form search searchform login signin register input filter filters sort sorting facet facets select refine newsletterform contactform',
  action:
    'button buttons btn action actions toolbar controls control vote votes upvote flag report like likes print edit download copy link links permalink',
  user: 'user username avatar profile member signature sig karma points rank reputation stats usercard userinfo',
  content:
    'content contents article post entry body text story main page markdown prose richtext rte wysiwyg copytext editorial blog news doc docs documentation readme wiki mw reader',
  description:
    'description desc summary intro lead abstract excerpt overview about bodytext longdescription',
  product:
    'product products sku price prices pricing spec specs specification specifications feature features detail details variant cart buy stock shipping delivery quantity',
  review: 'review reviews rating ratings testimonial testimonials star stars feedback',
  card: 'card cards item items tile tiles grid list listing listings result results row rows feed collection archive',
  media:
    'carousel slider slide slides slideshow gallery video player media image images photo figure caption thumbnail thumb swiper',
  panel:
    'faq faqs accordion accordions tab panel panels collapse collapsible expand toggle question answerbox',
  hero: 'hero jumbotron title headline heading subtitle section container wrapper',
  post: 'message messages postbody posttext bbcode quote topicbody usertext discourse cooked commentbody messagebody',
  unseen: 'hidden visually sr sronly screenreader invisible offscreen noprint hide',
} as const;

export type ClassGroup = keyof typeof GROUPS;
export const CLASS_GROUPS = Object.keys(GROUPS) as readonly ClassGroup[];

const WORDS = new Map<string, number>();
CLASS_GROUPS.forEach((group, index) => {
  for (const word of GROUPS[group].split(' '))
    WORDS.set(word, (WORDS.get(word) ?? 0) | (1 << index));
});

export function groupBit(group: ClassGroup): number {
  return 1 << CLASS_GROUPS.indexOf(group);
}

/** Words are separated by anything but letters, and by capitals: `postBody`, `post-body2`. */
const WORD = /[A-Z]?[a-z]+|[A-Z]+/g;

/** Reads names once per page: the same class repeats a hundred times. */
export function createGroupReader(): (names: string) => number {
  const known = new Map<string, number>();
  return (names) => {
    let mask = known.get(names);
    if (mask !== undefined) return mask;
    mask = 0;
    // No real name is longer; longer ones are generated utility classes.
    const text = names.length > 500 ? names.slice(0, 500) : names;
    const whole = text.toLowerCase();
    for (const word of text.match(WORD) ?? []) mask |= WORDS.get(word.toLowerCase()) ?? 0;
    // `readMore` is also one word.
    if (whole !== text) for (const word of whole.split(/[^a-z]+/)) mask |= WORDS.get(word) ?? 0;
    if (known.size < 20_000) known.set(names, mask);
    return mask;
  };
}
