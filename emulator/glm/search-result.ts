import { bodyOf, type Found } from '../web.ts';

/** As the vendor shows it in an answer and at its search endpoint. */
export const resultOf = ({ page, refer, publishDate }: Found): object => ({
  title: page.title,
  content: bodyOf(page),
  link: page.url,
  media: page.site,
  icon: `${new URL(page.url).origin}/icon.png`,
  refer,
  publish_date: publishDate,
});
