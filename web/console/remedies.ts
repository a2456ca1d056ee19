// Reasons why a page was skipped, failed or removed, each with its meaning and remedy.

export interface Remedy {
  title: string
  meaning: string
  remedy: string
}

/** Keys are the reasons of the API's events. */
export const remedies: Record<string, Remedy> = {
  // Skipped.
  robots: {
    title: 'Excluded by robots.txt',
    meaning: 'The robots.txt of the site forbids crawlers this address.',
    remedy:
      'Allow the address for the user agent “lectern” in the robots.txt of the site, then recrawl the page.',
  },
  noindex: {
    title: 'Marked noindex',
    meaning: 'The page says in its meta tags or headers that it must not be indexed.',
    remedy:
      'Take “noindex” out of the meta robots tag or the X-Robots-Tag header of the page, then recrawl it.',
  },
  excluded: {
    title: 'Excluded by the source',
    meaning:
      'The include and exclude globs of every source leave the address out, or it is outside of the start folder.',
    remedy: 'Change the globs of the source, or add a source that covers the address.',
  },
  duplicate: {
    title: 'Same text as another page',
    meaning: 'Another page of the project has the same text. One of them is enough for readers.',
    remedy: 'Nothing needs to be done. To index this one instead, exclude the other address by a glob.',
  },
  canonical: {
    title: 'Names another canonical address',
    meaning: 'The page says by rel=canonical that its text belongs to another address.',
    remedy: 'Look up the canonical address. If it is wrong, correct the link rel=canonical in the page.',
  },
  redirect: {
    title: 'Leads to another address',
    meaning: 'The server answers with a redirect. The target is indexed where a source covers it.',
    remedy:
      'Look up the target. If no source covers it, add one. Links to the old address can be changed on the site.',
  },
  gone: {
    title: 'Gone',
    meaning: 'The server answers 404 or 410: there is no page at this address any more.',
    remedy: 'Restore the page or redirect its address, and correct the pages that link to it.',
  },
  no_content: {
    title: 'No text found',
    meaning:
      'The page has no text to index: it is empty, holds only navigation, is drawn by scripts, or is no document. Generated indexes, search pages and listings of source code are skipped on purpose.',
    remedy:
      'An index, a search page or a listing needs nothing. For any other page, serve the text within the HTML: Lectern runs no scripts.',
  },
  page_limit: {
    title: 'Over the page limit',
    meaning: 'The limit of pages of the source or of the plan was reached before this page.',
    remedy: 'Raise max_pages of the source or LECTERN_PAGE_LIMIT, or exclude what need not be searched.',
  },
  trap: {
    title: 'Looks like an endless site',
    meaning:
      'The address looks like one of an endless series, such as the days of a calendar or folders that repeat.',
    remedy: 'If it is a real page, add a source of type url for it. Otherwise exclude the series by a glob.',
  },
  // Failed.
  timeout: {
    title: 'Took too long',
    meaning: 'The server did not answer in time.',
    remedy:
      'Check how fast the server answers. Give the source fewer connections or a delay if it is overloaded.',
  },
  dns: {
    title: 'Host not found',
    meaning: 'The name of the host is not known to the DNS of the machine that runs Lectern.',
    remedy: 'Check the spelling of the address, and that the machine that runs Lectern resolves the name.',
  },
  tls: {
    title: 'TLS failed',
    meaning:
      'The certificate of the site is expired, is for another name, or is signed by an unknown authority.',
    remedy:
      'Renew the certificate. For an authority of your own, set NODE_EXTRA_CA_CERTS where Lectern runs.',
  },
  connection: {
    title: 'No connection',
    meaning: 'The server refused the connection or broke it off.',
    remedy: 'Check that the server runs and that a firewall lets Lectern reach it.',
  },
  http_4xx: {
    title: 'Refused by the server',
    meaning: 'The server answered with a status from 400 to 499 other than 404 and 410, such as 401 or 403.',
    remedy: 'Let Lectern read the page: give the source credentials, or allow its user agent on the server.',
  },
  http_5xx: {
    title: 'Server error',
    meaning: 'The server answered with a status of 500 or more.',
    remedy: 'Find the error in the log of the site’s server, fix the page, then recrawl it.',
  },
  blocked_address: {
    title: 'Not a public address',
    meaning:
      'The host has a private or loopback address, or the port is reserved. Lectern reads those only if its settings allow it.',
    remedy: 'Add the host, with its port if that is reserved, to LECTERN_CRAWL_ALLOW and restart Lectern.',
  },
  too_large: {
    title: 'Too large',
    meaning: 'The answer is larger than Lectern reads.',
    remedy: 'Split the page, or exclude its address by a glob.',
  },
  parse: {
    title: 'Could not be parsed',
    meaning:
      'The page, the file or the robots.txt of its host is damaged, or reading it exceeded a limit of time or memory.',
    remedy: 'Open the page or file yourself, fix or split it, then recrawl it.',
  },
  // Removed.
  unlisted: {
    title: 'No longer listed',
    meaning: 'No source lists the page any more: its links or its line in the sitemap are gone.',
    remedy: 'Link to the page or list it in the sitemap again, or add its address as a source of type url.',
  },
  // Of a recrawl.
  unfetchable: {
    title: 'Could not be read',
    meaning: 'The page could not be fetched.',
    remedy: 'Test the address to see what the server answers.',
  },
}
