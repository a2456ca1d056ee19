// C8, conversations: by outcome, rating, day and text.
import { useEffect, useMemo } from 'preact/hooks'
import { projectHref, type ScreenProps } from '../address.ts'
import { FilterChoice, FilterDay, FilterText, useFilters } from '../parts/filters.tsx'
import { Empty, Head } from '../parts/notices.tsx'
import { createPagedRows } from '../parts/paged-rows.ts'
import { type Column, RowTable } from '../parts/row-table.tsx'
import { When } from '../parts/values.tsx'
import type { Chat } from '../reader-rows.ts'
import type { List } from '../rows.ts'
import { api } from '../session.ts'
import { projectPath } from '../sources.ts'

const outcomes = [
  ['answered', 'answered'],
  ['pointed', 'pointed to sections'],
  ['refused', 'refused'],
] as const

const reactions = [
  ['1', 'helpful'],
  ['0', 'not helpful'],
] as const

export function Screen({ parameters: { slug = '' } }: ScreenProps) {
  const filters = useFilters('outcome', 'reaction', 'q', 'start_date', 'end_date')
  const rows = useMemo(
    () =>
      createPagedRows((page, signal) =>
        api.get<List<Chat>>(projectPath(slug, 'chats/'), { ...filters, ...page }, signal),
      ),
    [slug, JSON.stringify(filters)],
  )
  useEffect(() => rows.close, [rows])
  const columns: Column<Chat>[] = [
    {
      title: 'First question',
      cell: ({ uuid, title }) => (
        <a href={projectHref(slug, `conversations/${uuid}`)}>{title || 'no text'}</a>
      ),
    },
    { title: 'Last message', width: '10rem', cell: ({ updated_at }) => <When at={updated_at} /> },
    {
      title: 'Messages',
      width: '6rem',
      isWide: true,
      isNumber: true,
      cell: ({ message_count }) => message_count,
    },
    { title: 'Reader', width: '12rem', isWide: true, cell: ({ email }) => email ?? '' },
    { title: 'Tag', width: '8rem', isWide: true, cell: ({ metadata }) => metadata ?? '' },
  ]
  const isFiltered = Object.values(filters).some((value) => value !== '')
  return (
    <section>
      <Head title="Conversations" about="Questions of readers and the answers to them." />
      <div class="filters">
        <FilterText name="q" label="Text" value={filters.q} />
        <FilterChoice name="outcome" label="Outcome" value={filters.outcome} options={outcomes} />
        <FilterChoice name="reaction" label="Rated" value={filters.reaction} options={reactions} />
        <FilterDay name="start_date" label="From" value={filters.start_date} />
        <FilterDay name="end_date" label="Until" value={filters.end_date} />
      </div>
      <RowTable
        label="Conversations"
        columns={columns}
        rows={rows}
        empty={
          isFiltered ? (
            <Empty title="No conversation matches the filters">
              <a href={projectHref(slug, 'conversations')}>Show all conversations</a>
            </Empty>
          ) : (
            <Empty title="There are no questions yet">
              <p>
                Readers ask where <a href={projectHref(slug, 'embed')}>the widget</a> is embedded.
              </p>
            </Empty>
          )
        }
      />
    </section>
  )
}
