"""Raw trees and a catalog → resolved statements, by the scoping rules of each dialect."""
