from .data_table import Column as Column
from .data_table import DataTable as DataTable
from .markup import escape_markdown as escape_markdown
from .markup import to_html_paragraph as to_html_paragraph
from .result_table import PrintsAsTable as PrintsAsTable
from .result_table import ResultTable as ResultTable
from .spreadsheets import escape_formula as escape_formula
from .spreadsheets import to_csv as to_csv
