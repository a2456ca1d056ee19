// Text split into tokens like those of language models.
export const words =
  'The event loop runs async tasks and call backs, per forms network IO and runs sub processes. '.split(
    /(?<= )/,
  )
