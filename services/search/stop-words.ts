// Words that carry a question rather than its subject. They are looked for only when a query holds nothing else.
export const stopWords: ReadonlySet<string> = new Set(
  `a an and any are as at be been but by can could did do does doing for from get had has have he her his how i if in
   into is it its let make me my need no of on one or our out please shall she should so some such than that the their
   them then there these they this those to too up us use using want was way we were what when where which while who
   why will with without would you your`.split(/\s+/),
)
